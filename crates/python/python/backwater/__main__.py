"""`python -m backwater` is the command."""

from backwater._command import main

if __name__ == "__main__":
    main()
