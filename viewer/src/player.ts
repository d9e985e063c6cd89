// Time: where it stands, whether and how fast it runs.
export class Player {
  time: number;
  playing = false;
  speed = 1;
  loop = true;
  private last: number | null = null;

  constructor(readonly begin: number, readonly end: number, private readonly changed: () => void) {
    this.time = begin;
  }

  get duration(): number {
    return this.end - this.begin;
  }
  set(time: number): void {
    this.time = Math.min(this.end, Math.max(this.begin, time));
    this.changed();
  }
  toggle(): void {
    if (!this.playing && this.time >= this.end) this.time = this.begin;
    this.playing = !this.playing && this.duration > 0;
    this.last = null;
    this.changed();
  }
  pause(): void {
    if (this.playing) this.toggle();
  }

  // `now`: the browser's clock in milliseconds. True when time has moved.
  tick(now: number): boolean {
    if (!this.playing) return false;
    const elapsed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    let next = this.time + this.speed * elapsed;
    if (next > this.end) {
      if (this.loop) next = this.begin + ((next - this.begin) % this.duration);
      else {
        next = this.end;
        this.playing = false;
      }
    }
    this.time = next;
    return true;
  }
}

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

// The speed at which a run lasts some seconds: a slow-motion view of quick ones, time lapse of long ones.
export function fittingSpeed(duration: number): number {
  if (duration >= 2 && duration <= 60) return 1;
  const wanted = duration < 2 ? duration / 5 : duration / 40;
  return speeds.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best), 1);
}
