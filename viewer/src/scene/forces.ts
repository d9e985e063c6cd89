// Forces as arrows: reactions and torques of joints as recorded, weights, springs, and wrenches
// whose components are numbers. The longest of a kind has a fixed length in the scene.
import { Group, Vector3 } from 'three';
import { arrowColors } from '../colors';
import { short } from '../dom';
import type { Expression } from '../data';
import { Run, Series, valueAt } from '../run';
import { Arrows } from './arrows';
import { endPoint } from './lines';
import { Poses, placeMatrix, toVector } from './poses';

const components = { reactions: ['fx', 'fy', 'fz'], torques: ['tx', 'ty', 'tz'] };
const vector = new Vector3();
const origin = new Vector3();

// One kind of arrows that can be shown or hidden.
export interface ArrowKind {
  key: string;
  label: string;
  group: Group;
  update: (poses: Poses, t: number) => void;
  legend: string;
}

function recorded(run: Run, kind: 'reactions' | 'torques', length: number, width: number): ArrowKind | null {
  if (!run.has('reactions.csv')) return null;
  const joints = (run.model.joints ?? [])
    .map((joint) => ({
      body: joint.child.body,
      at: new Vector3().setFromMatrixPosition(placeMatrix(joint.child)),
      series: components[kind].map((name) => run.series('reactions.csv', `${joint.name}.${name}`)),
    }))
    .filter((joint) => joint.series.every((series) => series !== null));
  let largest = 0;
  for (const { series } of joints) {
    const [x, y, z] = series as Series[];
    for (let k = 0; k < x.values.length; ++k)
      largest = Math.max(largest, Math.hypot(x.values[k], y.values[k], z.values[k]));
  }
  if (largest === 0) return null;
  const torque = kind === 'torques';
  const arrows = new Arrows(joints.length, torque ? arrowColors.torque : arrowColors.reaction, width, torque ? 2 : 1);
  return {
    key: kind,
    label: torque ? 'Reaction torques' : 'Reaction forces',
    group: arrows.group,
    legend: `longest ${short(largest)} ${torque ? 'N m' : 'N'}`,
    update: (poses, t) => {
      joints.forEach(({ body, at, series }, k) => {
        const [x, y, z] = series as Series[];
        vector.set(valueAt(x, t), valueAt(y, t), valueAt(z, t)).multiplyScalar(length / largest);
        arrows.set(k, origin.copy(at).applyMatrix4(poses.ofName(body)), vector);
      });
      arrows.flush();
    },
  };
}

function weights(run: Run, length: number, width: number): ArrowKind | null {
  const gravity = toVector(run.model.gravity);
  const bodies = (run.model.bodies ?? []).filter((body) => body.mass > 0);
  const frame = run.model.gravity_frame ?? 'world';
  if (!gravity || gravity.length() === 0 || bodies.length === 0) return null;
  const heaviest = Math.max(...bodies.map((body) => body.mass));
  const arrows = new Arrows(bodies.length, arrowColors.weight, width);
  return {
    key: 'weights',
    label: 'Weights',
    group: arrows.group,
    legend: `longest ${short(heaviest * gravity.length())} N`,
    update: (poses) => {
      bodies.forEach((body, k) => {
        vector.copy(gravity).normalize().multiplyScalar((length * body.mass) / heaviest);
        if (frame !== 'world') vector.transformDirection(poses.ofName(frame)).multiplyScalar((length * body.mass) / heaviest);
        arrows.set(k, origin.set(...body.com).applyMatrix4(poses.ofName(body.name)), vector);
      });
      arrows.flush();
    },
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

// Tension of springs (stiffness times extension, without damping) and wrenches given as numbers.
function applied(run: Run, length: number, width: number): ArrowKind | null {
  const forces = run.model.forces ?? [];
  const springs = forces.filter((f) => f.type === 'spring' && isNumber(f.stiffness) && isNumber(f.length ?? 0));
  const wrenches = forces.filter((f) => f.type === 'wrench' && (f.force ?? []).every(isNumber) && f.force?.some((x) => x !== 0));
  if (springs.length + wrenches.length === 0) return null;
  const from = new Vector3();
  const to = new Vector3();
  const pull = (spring: (typeof springs)[0], poses: Poses) => {
    endPoint(spring.from!, poses, from);
    endPoint(spring.to!, poses, to);
    const distance = to.sub(from).length();
    const rest = (spring.length as number | null) ?? 0;
    return distance > 0 ? to.multiplyScalar(((spring.stiffness as number) * (distance - rest)) / distance) : to;
  };
  const wrenchForce = (force: Expression[], frame: string | undefined, poses: Poses) => {
    vector.set(...(force as [number, number, number]));
    const size = vector.length();
    if (frame && frame !== 'world') vector.transformDirection(poses.ofName(frame)).multiplyScalar(size);
    return vector;
  };
  const scan = new Poses(run);
  let largest = 0;
  for (let k = 0; k < 60; ++k) {
    scan.update(run.begin + ((run.end - run.begin) * k) / 59);
    for (const spring of springs) largest = Math.max(largest, pull(spring, scan).length());
    for (const wrench of wrenches) largest = Math.max(largest, wrenchForce(wrench.force!, wrench.frame, scan).length());
  }
  if (largest === 0) return null;
  const arrows = new Arrows(2 * springs.length + wrenches.length, arrowColors.force, width);
  return {
    key: 'forces',
    label: 'Springs and wrenches',
    group: arrows.group,
    legend: `longest about ${short(largest)} N`,
    update: (poses) => {
      springs.forEach((spring, k) => {
        const force = pull(spring, poses).multiplyScalar(length / largest); // on the body of `from`
        arrows.set(2 * k, from, force);
        endPoint(spring.to!, poses, origin);
        arrows.set(2 * k + 1, origin, force.negate());
      });
      wrenches.forEach((wrench, k) => {
        const force = wrenchForce(wrench.force!, wrench.frame, poses).multiplyScalar(length / largest);
        origin.copy(toVector(wrench.at) ?? new Vector3()).applyMatrix4(poses.ofName(wrench.body!));
        arrows.set(2 * springs.length + k, origin, force);
      });
      arrows.flush();
    },
  };
}

export function makeArrowKinds(run: Run, sceneSize: number): ArrowKind[] {
  const length = 0.3 * sceneSize;
  const width = 0.0035 * sceneSize;
  return [
    recorded(run, 'reactions', length, width),
    recorded(run, 'torques', length, width),
    applied(run, length, width),
    weights(run, 0.6 * length, width),
  ].filter((kind): kind is ArrowKind => kind !== null);
}
