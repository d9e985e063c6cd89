// Loads inside bodies (cuts.csv): an arrow for the force and one for the moment in every cut, in the axes of the
// body; along a body with several parallel cuts a line joins the tips, so that the diagram of the body is seen.
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Vector3 } from 'three';
import { arrowColors } from '../colors';
import type { Cut } from '../data';
import type { Run } from '../run';
import { toVector } from './poses';
import { ArrowKind, Bundle, Place, Source, makeKind, triple } from './recorded';

const vector = new Vector3();

// Cuts of one body with one normal, from one end to the other.
function rows(cuts: Cut[]): Cut[][] {
  const found = new Map<string, { cut: Cut; station: number }[]>();
  for (const cut of cuts) {
    const normal = toVector(cut.normal)?.clone().normalize();
    const at = toVector(cut.at)?.clone();
    if (!normal || !at) continue;
    const key = `${cut.body} ${normal.toArray().map((x) => x.toFixed(9)).join(' ')}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key)!.push({ cut, station: normal.dot(at) });
  }
  return [...found.values()].map((row) => row.sort((a, b) => a.station - b.station).map(({ cut }) => cut));
}

class TipLine {
  readonly object: Line;
  private readonly positions: Float32Array;

  constructor(count: number, color: string) {
    this.positions = new Float32Array(3 * count);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.positions, 3));
    this.object = new Line(geometry, new LineBasicMaterial({ color, fog: false }));
    this.object.frustumCulled = false;
  }
  set(k: number, tip: Vector3): void {
    tip.toArray(this.positions, 3 * k);
  }
  flush(visible: boolean): void {
    this.object.visible = visible;
    this.object.geometry.attributes.position.needsUpdate = true;
  }
}

function cutKind(run: Run, key: string, label: string, names: string[], torque: boolean, color: string, length: number, width: number): ArrowKind | null {
  const sources: Source[] = [];
  const lines: { line: TipLine; first: number; count: number }[] = [];
  for (const row of rows(run.model.cuts ?? [])) {
    const first = sources.length;
    for (const cut of row) {
      const series = triple(run, 'cuts.csv', cut.name, names);
      const at = toVector(cut.at)?.clone();
      if (!series || !at) continue;
      const place: Place = (poses, _, result) => void result.copy(at).applyMatrix4(poses.ofName(cut.body));
      sources.push({ name: cut.name, place, vector: series, axes: cut.body });
    }
    const count = sources.length - first;
    if (count > 1) lines.push({ line: new TipLine(count, color), first, count });
  }
  const bundle = new Bundle(sources, torque, color, length, width);
  const kind = makeKind(key, label, color, [bundle]);
  if (!kind) return null;
  for (const { line } of lines) kind.group.add(line.object);
  const update = kind.update;
  kind.update = (poses, t) => {
    update(poses, t);
    for (const { line, first, count } of lines) {
      for (let k = 0; k < count; ++k) {
        const drawn = bundle.arrows.read(first + k);
        if (drawn) vector.copy(drawn.origin).add(drawn.vector);
        else sources[first + k].place(poses, t, vector);
        line.set(k, vector);
      }
      line.flush(!poses.displacement);
    }
  };
  return kind;
}

export function cutKinds(run: Run, length: number, width: number): (ArrowKind | null)[] {
  return [
    cutKind(run, 'cut-forces', 'Forces in cuts', ['fx', 'fy', 'fz'], false, arrowColors.cut, length, width),
    cutKind(run, 'cut-moments', 'Moments in cuts', ['tx', 'ty', 'tz'], true, arrowColors.cutMoment, length, width),
  ];
}
