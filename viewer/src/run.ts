// A run in memory: where every body is at any time, and every recorded quantity.
import { Quaternion, Vector3 } from 'three';
import { DataProblem, Model, RunDocument, doubles, floats } from './data';

const poseSize = 7; // x y z qw qx qy qz

export interface Series {
  t: Float64Array;
  values: Float64Array | Float32Array;
  unit: string;
}

interface Table {
  name: string;
  t: Float64Array;
  columns: Map<string, { values: Float64Array | Float32Array; unit: string }>;
}

// Index of the last time <= t, at least 0.
export function findInterval(times: Float64Array, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Run {
  readonly model: Model;
  readonly label: string;
  readonly summary: Record<string, any>;
  readonly events: RunDocument['events'];
  readonly impacts: NonNullable<RunDocument['impacts']>;
  readonly times: Float64Array; // of the frames
  readonly notes: string[] = []; // what was left out
  private readonly poses: Float32Array;
  private readonly bodyIndex = new Map<string, number>();
  private readonly tables: Table[];

  constructor(document: RunDocument) {
    this.model = document.model;
    this.label = document.label;
    this.summary = document.summary ?? {};
    this.events = document.events;
    this.impacts = document.impacts ?? [];
    (this.model.bodies ?? []).forEach((body, k) => this.bodyIndex.set(body.name, k));
    this.tables = document.tables.map((packed) => {
      const data = (packed.type === 'f32' ? floats : doubles)(packed.data, packed.count * packed.columns.length);
      const columns: Table['columns'] = new Map();
      packed.columns.forEach((name, k) =>
        columns.set(name, { values: data.subarray(k * packed.count, (k + 1) * packed.count), unit: packed.units[k] }));
      return { name: packed.name, t: doubles(packed.t, packed.count), columns };
    });
    const frames = document.frames;
    if (frames) {
      this.times = doubles(frames.t, frames.count);
      this.poses = floats(frames.poses, frames.count * this.bodyIndex.size * poseSize);
      if (frames.every > 1)
        this.notes.push(`3D: every ${ordinal(frames.every)} of ${frames.recorded} recorded frames`);
    } else {
      this.times = this.tables[0]?.t ?? new Float64Array([0]);
      this.poses = new Float32Array();
    }
    if (this.times.length === 0) throw new DataProblem('The run has no samples.');
    const thinned = document.tables.find((packed) => packed.every > 1);
    if (thinned) this.notes.push(`plots: every ${ordinal(thinned.every)} of ${thinned.recorded} samples`);
  }

  get begin(): number {
    return this.times[0];
  }
  get end(): number {
    return this.times[this.times.length - 1];
  }
  get bodyCount(): number {
    return this.bodyIndex.size;
  }
  indexOf(body: string): number {
    return this.bodyIndex.get(body) ?? -1; // -1: the world
  }

  // Between two frames positions go straight and rotations the short way at constant rate.
  pose(body: number, t: number, position: Vector3, rotation: Quaternion): void {
    const k = findInterval(this.times, t);
    this.framePose(body, k, position, rotation);
    if (k + 1 >= this.times.length || t <= this.times[k]) return;
    const span = this.times[k + 1] - this.times[k];
    const share = span > 0 ? Math.min(1, (t - this.times[k]) / span) : 0;
    this.framePose(body, k + 1, nextPosition, nextRotation);
    position.lerp(nextPosition, share);
    rotation.slerp(nextRotation, share);
  }

  framePose(body: number, frame: number, position: Vector3, rotation: Quaternion): void {
    const p = this.poses;
    const k = (frame * this.bodyIndex.size + body) * poseSize;
    position.set(p[k], p[k + 1], p[k + 2]);
    rotation.set(p[k + 4], p[k + 5], p[k + 6], p[k + 3]);
  }

  // Tables and their columns, for choosing what to plot.
  quantities(): { table: string; names: string[] }[] {
    return this.tables.map((table) => ({ table: table.name, names: [...table.columns.keys()] }));
  }

  series(table: string, column: string): Series | null {
    const found = this.tables.find((candidate) => candidate.name === table);
    const stored = found?.columns.get(column);
    return found && stored ? { t: found.t, ...stored } : null;
  }

  has(table: string): boolean {
    return this.tables.some((candidate) => candidate.name === table);
  }
}

const nextPosition = new Vector3();
const nextRotation = new Quaternion();

// Straight between two samples.
export function valueAt(series: Series, t: number): number {
  const k = findInterval(series.t, t);
  const a = series.values[k];
  if (k + 1 >= series.t.length || t <= series.t[k]) return a;
  const span = series.t[k + 1] - series.t[k];
  return span > 0 ? a + ((series.values[k + 1] - a) * (t - series.t[k])) / span : a;
}

// The largest size a quantity reaches.
export function largestOf(series: Series): number {
  let largest = 0;
  for (const value of series.values) if (Math.abs(value) > largest) largest = Math.abs(value);
  return largest;
}

function ordinal(n: number): string {
  const tens = n % 100;
  const suffix = tens > 10 && tens < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th';
  return `${n}${suffix}`;
}
