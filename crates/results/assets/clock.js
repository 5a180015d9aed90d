// The time that everything over time shows: a bin, moved by map, stops, queues and charts.
const Clock = (() => {
  "use strict";
  const { shown } = common;

  return class Clock {
    constructor({ ends, start, unit, other, scale }) {
      Object.assign(this, { ends, start, unit, other, scale });
      this.bin = start;
      this.isOther = false;
      this.listeners = [];
    }

    get count() {
      return this.ends.length;
    }
    get per() {
      return this.isOther && this.other ? this.other.per : 1;
    }
    get shownUnit() {
      return this.isOther && this.other ? this.other.unit : this.unit;
    }
    // Calls `tell` whenever the time moves or is shown in another unit.
    follow(tell) {
      this.listeners.push(tell);
    }
    move(bin) {
      this.bin = Math.max(0, Math.min(this.count - 1, bin));
      for (const tell of this.listeners) tell();
    }
    switchUnit(unit) {
      this.isOther = unit === this.other?.unit;
      this.move(this.bin);
    }
    from(bin) {
      return bin > 0 ? this.ends[bin - 1] : 0;
    }
    // The bin in which a time lies, given in steps of the run's clock.
    binAt(steps) {
      const found = this.ends.findIndex((end) => end >= steps * this.scale);
      return found < 0 ? this.count - 1 : found;
    }
    // Both ends of the bin, in steps of the run's clock.
    get steps() {
      return [this.from(this.bin), this.ends[this.bin]].map((end) => end / this.scale);
    }
    say(time) {
      return `${shown(Number((time * this.per).toPrecision(6)))} ${this.shownUnit}`;
    }
  };
})();
