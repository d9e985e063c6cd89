// Arrows from the tables of a run: reactions of joints, and what forces and constraints do to bodies.
// The longest of a kind has a fixed length in the scene. Torques have two heads.
import { Group, Vector3 } from 'three';
import { arrowColors, forceColors } from '../colors';
import { short } from '../dom';
import { Run, Series, valueAt } from '../run';
import { Arrows } from './arrows';
import { Poses, placeMatrix } from './poses';

export interface DrawnArrow {
  name: string;
  torque: boolean;
  from: number[]; // where it begins
  vector: number[]; // in newtons or newton metres, as long as it is drawn
}

// One kind of arrows that can be shown or hidden.
export interface ArrowKind {
  key: string;
  label: string;
  color: string;
  group: Group;
  update: (poses: Poses, t: number) => void;
  legend: string;
  readBack: () => DrawnArrow[];
}

export type Place = (poses: Poses, t: number, result: Vector3) => void;
export interface Source {
  name: string;
  place: Place;
  vector: Series[];
  axes?: string; // body in whose axes the vector is; default the world
}

const vector = new Vector3();
const origin = new Vector3();
const vectorAt = ([x, y, z]: Series[], t: number, result: Vector3) => result.set(valueAt(x, t), valueAt(y, t), valueAt(z, t));

// Forces alone or torques alone.
export class Bundle {
  readonly largest: number;
  readonly arrows: Arrows;

  constructor(private readonly sources: Source[], private readonly torque: boolean, color: string, private readonly length: number, width: number) {
    let largest = 0;
    for (const { vector: [x, y, z] } of sources)
      for (let k = 0; k < x.values.length; ++k) largest = Math.max(largest, Math.hypot(x.values[k], y.values[k], z.values[k]));
    this.largest = largest;
    this.arrows = new Arrows(sources.length, color, width, torque ? 2 : 1);
  }

  get legend(): string {
    return `${short(this.largest)} ${this.torque ? 'N m' : 'N'}`;
  }
  update(poses: Poses, t: number): void {
    this.sources.forEach(({ place, vector: series, axes }, k) => {
      if (poses.displacement) return this.arrows.clear(k); // swinging in a mode: nobody has recorded that
      place(poses, t, origin);
      vectorAt(series, t, vector);
      const size = vector.length();
      if (axes && size > 0) vector.transformDirection(poses.ofName(axes)).multiplyScalar(size);
      this.arrows.set(k, origin, vector.multiplyScalar(this.length / this.largest));
    });
    this.arrows.flush();
  }
  readBack(): DrawnArrow[] {
    return this.sources.flatMap(({ name }, k) => {
      const drawn = this.arrows.read(k);
      if (!drawn) return [];
      const vector = drawn.vector.multiplyScalar(this.largest / this.length).toArray();
      return [{ name, torque: this.torque, from: drawn.origin.toArray(), vector }];
    });
  }
}

export function makeKind(key: string, label: string, color: string, bundles: Bundle[]): ArrowKind | null {
  const present = bundles.filter((bundle) => bundle.largest > 0);
  if (present.length === 0) return null;
  const group = new Group();
  for (const bundle of present) group.add(bundle.arrows.group);
  return {
    key, label, color, group,
    legend: `longest ${present.map((bundle) => bundle.legend).join(', ')}`,
    update: (poses, t) => present.forEach((bundle) => bundle.update(poses, t)),
    readBack: () => present.flatMap((bundle) => bundle.readBack()),
  };
}

export const triple = (run: Run, table: string, prefix: string, names: string[]): Series[] | null => {
  const series = names.map((name) => run.series(table, `${prefix}.${name}`));
  return series.every((one) => one !== null) ? (series as Series[]) : null;
};

export function reactionKinds(run: Run, length: number, width: number): (ArrowKind | null)[] {
  const sources = (names: string[]): Source[] =>
    (run.model.joints ?? []).flatMap((joint) => {
      const series = triple(run, 'reactions.csv', joint.name, names);
      const at = new Vector3().setFromMatrixPosition(placeMatrix(joint.child));
      const place: Place = (poses, _, result) => void result.copy(at).applyMatrix4(poses.ofName(joint.child.body));
      return series ? [{ name: joint.name, place, vector: series }] : [];
    });
  const forces = new Bundle(sources(['fx', 'fy', 'fz']), false, arrowColors.reaction, length, width);
  const torques = new Bundle(sources(['tx', 'ty', 'tz']), true, arrowColors.torque, length, width);
  // Joints that can carry no torque report the rounding of one.
  const rounding = torques.largest < 1e-10 * length * forces.largest;
  return [
    makeKind('reactions', 'Reaction forces', arrowColors.reaction, [forces]),
    makeKind('torques', 'Reaction torques', arrowColors.torque, rounding ? [] : [torques]),
  ];
}

const labels: Record<string, string> = {
  spring: 'Springs, dampers', torsion: 'Joint springs', wrench: 'Wrenches', joint: 'Joint forces', potential: 'Potentials',
  friction: 'Friction', drag: 'Drag', tyre: 'Tyres', distance: 'Rods', drive: 'Drives', coupler: 'Couplers', 'rolling-disc': 'Contact of wheels',
  'knife-edge': 'Knife edges', 'point-on-plane': 'Points on planes', contact: 'Forces of contacts', stop: 'Stops',
};

// How forces.csv calls a contact: `contact NAME` where a force or constraint has the name.
export function recordedContact({ forces, constraints }: Run['model'], name: string): string {
  return [...(forces ?? []), ...(constraints ?? [])].some((other) => other.name === name) ? `contact ${name}` : name;
}

// The columns of forces.csv: NAME.BODY.x .. for every body a force, constraint or contact acts on.
function* acting(run: Run): Generator<{ type: string; prefix: string; point: Series[] }> {
  const forces = (run.model.forces ?? []).map(({ name, type }) => ({ name, type }));
  const taken = new Set(forces.map(({ name }) => name));
  const constraints = (run.model.constraints ?? []).map(({ name, type }) => ({ name: taken.has(name) ? `constraint ${name}` : name, type }));
  const contacts = (run.model.contacts ?? []).map(({ name, joint }) => ({ name: recordedContact(run.model, name), type: joint ? 'stop' : 'contact' }));
  const bodies = new Set(['world', ...(run.model.bodies ?? []).map((body) => body.name)]);
  const table = run.quantities().find((candidate) => candidate.table === 'forces.csv');
  for (const column of table?.names ?? []) {
    if (!column.endsWith('.fx')) continue;
    const prefix = column.slice(0, -3);
    const owner = [...forces, ...constraints, ...contacts].find(({ name }) =>
      prefix.startsWith(`${name}.`) && bodies.has(prefix.slice(name.length + 1).replace(/#\d+$/, '')));
    const point = triple(run, 'forces.csv', prefix, ['x', 'y', 'z']);
    if (owner && point) yield { type: owner.type, prefix, point };
  }
}

const same = (a: Series, b: Series) => a.values.every((value, k) => value === b.values[k]);

// Of two bodies that act on each other at one point, one arrow is drawn: what the first gets.
export function forceKinds(run: Run, length: number, width: number): (ArrowKind | null)[] {
  const kinds = new Map<string, { forces: Source[]; torques: Source[] }>();
  let before: { owner: string; point: Series[] } | null = null;
  for (const { type, prefix, point } of acting(run)) {
    const owner = prefix.slice(0, prefix.lastIndexOf('.'));
    if (before && before.owner === owner && before.point.every((series, k) => same(series, point[k]))) {
      before = null;
      continue;
    }
    before = { owner, point };
    if (!kinds.has(type)) kinds.set(type, { forces: [], torques: [] });
    const place: Place = (_, t, result) => void vectorAt(point, t, result);
    kinds.get(type)!.forces.push({ name: prefix, place, vector: triple(run, 'forces.csv', prefix, ['fx', 'fy', 'fz'])! });
    kinds.get(type)!.torques.push({ name: prefix, place, vector: triple(run, 'forces.csv', prefix, ['tx', 'ty', 'tz'])! });
  }
  return [...kinds].map(([type, { forces, torques }]) => {
    const color = forceColors[type] ?? arrowColors.force;
    return makeKind(`force-${type}`, labels[type] ?? type, color,
      [new Bundle(forces, false, color, length, width), new Bundle(torques, true, color, length, width)]);
  });
}
