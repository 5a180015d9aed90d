//! The file around a page: its objects, and where each begins.

use std::fmt::Write as _;

/// A file of one page of this size in points.
pub fn of(content: &str, (wide, high): (f64, f64), opacities: &[u32], title: &str) -> Vec<u8> {
    let states = opacities.iter().enumerate();
    let states: String = states.fold(String::new(), |mut states, (number, thousandths)| {
        let share = f64::from(*thousandths) / 1000.0;
        let _ = write!(states, "/O{number} << /ca {share} >> ");
        states
    });
    let font = |name: &str, encoding: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name}{encoding} >>")
    };
    let latin = " /Encoding /WinAnsiEncoding";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide:.3} {high:.3}] /Contents 4 0 R \
             /Resources << /Font << /F0 5 0 R /F1 6 0 R /F2 7 0 R >> /ExtGState << {states}>> >> >>"
        ),
        format!(
            "<< /Length {} >>\nstream\n{content}endstream",
            content.len()
        ),
        font("Helvetica", latin),
        font("Helvetica-Bold", latin),
        font("Symbol", ""),
        format!(
            "<< /Title {} /Producer (backwater {}) >>",
            string(title),
            env!("CARGO_PKG_VERSION")
        ),
    ];
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(file.len());
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").into_bytes());
    }
    let (start, count) = (file.len(), objects.len() + 1);
    let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(end, "{place:010} 00000 n ");
    }
    let info = objects.len();
    let _ = write!(
        end,
        "trailer\n<< /Size {count} /Root 1 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.extend(end.into_bytes());
    file
}

/// Words in the one encoding that has all of them, as hexadecimal digits.
fn string(text: &str) -> String {
    let units = text.encode_utf16();
    let digits = units.fold(String::from("<FEFF"), |mut digits, unit| {
        let _ = write!(digits, "{unit:04X}");
        digits
    });
    digits + ">"
}
