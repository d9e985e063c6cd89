// All kinds of arrows of a run: recorded ones, and weights.
import { Vector3 } from 'three';
import { arrowColors } from '../colors';
import { short } from '../dom';
import type { Run } from '../run';
import { Arrows } from './arrows';
import { toVector } from './poses';
import { cutKinds } from './cuts';
import { ArrowKind, forceKinds, reactionKinds } from './recorded';

const vector = new Vector3();
const origin = new Vector3();

function weights(run: Run, length: number, width: number): ArrowKind | null {
  const gravity = toVector(run.model.gravity);
  const bodies = (run.model.bodies ?? []).filter((body) => body.mass > 0);
  const frame = run.model.gravity_frame ?? 'world';
  if (!gravity || gravity.length() === 0 || bodies.length === 0) return null;
  const heaviest = Math.max(...bodies.map((body) => body.mass));
  const perLength = (heaviest * gravity.length()) / length; // N
  const arrows = new Arrows(bodies.length, arrowColors.weight, width);
  return {
    key: 'weights',
    label: 'Weights',
    color: arrowColors.weight,
    group: arrows.group,
    legend: `longest ${short(heaviest * gravity.length())} N`,
    update: (poses) => {
      bodies.forEach((body, k) => {
        vector.copy(gravity).normalize();
        if (frame !== 'world') vector.transformDirection(poses.ofName(frame));
        vector.multiplyScalar((length * body.mass) / heaviest);
        arrows.set(k, origin.set(...body.com).applyMatrix4(poses.ofName(body.name)), vector);
      });
      arrows.flush();
    },
    readBack: () => bodies.flatMap((body, k) => {
      const drawn = arrows.read(k);
      return drawn ? [{ name: body.name, torque: false, from: drawn.origin.toArray(), vector: drawn.vector.multiplyScalar(perLength).toArray() }] : [];
    }),
  };
}

export function makeArrowKinds(run: Run, sceneSize: number): ArrowKind[] {
  const length = 0.3 * sceneSize;
  const width = 0.0035 * sceneSize;
  return [...reactionKinds(run, length, width), ...forceKinds(run, length, width), ...cutKinds(run, length, width), weights(run, 0.6 * length, width)]
    .filter((kind): kind is ArrowKind => kind !== null);
}
