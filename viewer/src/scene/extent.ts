// How large the mechanism is and where it goes: decides glyph sizes, camera and ground.
import { Box3, Matrix4, Quaternion, Vector3 } from 'three';
import type { Run } from '../run';
import { boundsOf, meshOf, reachOf } from './meshes';
import { placeMatrix, Poses } from './poses';
import { equivalentBox, Part } from './shapes';

export interface Extent {
  size: number; // of the mechanism at the start
  start: Box3;
  travel: Box3; // over the whole run
}

const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => new Vector3(x, y, z))));

// From points alone, before anything is drawn: origins, centres of mass, joints, shapes.
export function roughSize(run: Run): number {
  const box = new Box3();
  const poses = new Poses(run);
  for (const body of run.model.bodies ?? []) {
    const pose = poses.ofName(body.name);
    box.expandByPoint(new Vector3(...body.com).applyMatrix4(pose));
    for (const shape of body.shapes) {
      const at = new Vector3(...shape.at).applyMatrix4(pose);
      const mesh = meshOf(run.model, shape);
      const reach = mesh ? reachOf(mesh) : Math.max(...shape.size) * (shape.kind === 'box' ? 0.5 : 1);
      box.expandByPoint(at.clone().addScalar(reach)).expandByPoint(at.clone().addScalar(-reach));
    }
  }
  for (const joint of run.model.joints ?? [])
    for (const side of [joint.parent, joint.child])
      if (joint.type !== 'free' || side.body !== 'world')
        box.expandByPoint(
          new Vector3().setFromMatrixPosition(new Matrix4().multiplyMatrices(poses.ofName(side.body), placeMatrix(side))),
        );
  const size = box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
  if (size > 1e-9) return size;
  const sides = (run.model.bodies ?? []).map((body) => equivalentBox(body).sides.length());
  return Math.max(...sides, 0) || 1;
}

function expand(box: Box3, parts: Part[], poses: Poses): void {
  const matrix = new Matrix4();
  for (const part of parts) {
    matrix.multiplyMatrices(poses.of(part.body), part.local);
    if (part.mesh) {
      box.union(boundsOf(part.mesh).applyMatrix4(matrix));
      continue;
    }
    const half = part.form === 'box' ? 0.5 : 1;
    for (const corner of corners) {
      const long = part.form === 'cylinder' || part.form === 'tube' ? 0.5 : half;
      box.expandByPoint(new Vector3(corner.x * half, corner.y * half, corner.z * long).applyMatrix4(matrix));
    }
  }
}

export function measure(run: Run, parts: Part[]): Extent {
  const poses = new Poses(run);
  const start = new Box3();
  expand(start, parts, poses);
  for (const joint of run.model.joints ?? [])
    if (joint.parent.body === 'world' && joint.type !== 'free')
      start.expandByPoint(new Vector3().setFromMatrixPosition(placeMatrix(joint.parent)));
  for (const force of run.model.forces ?? [])
    for (const place of force.type === 'spring' ? [force.from, force.to] : [])
      if (place) start.expandByPoint(new Vector3().setFromMatrixPosition(placeMatrix(place)).applyMatrix4(poses.ofName(place.body)));
  const travel = start.clone();
  const samples = Math.min(80, run.times.length);
  for (let k = 1; k < samples; ++k) {
    poses.update(run.begin + ((run.end - run.begin) * k) / (samples - 1));
    expand(travel, parts, poses);
  }
  return { size: Math.max(start.getSize(new Vector3()).length(), 1e-6), start, travel };
}

// The centre of mass of everything, or the centre of the origins where nothing has mass.
export function systemCenter(run: Run, t: number, result: Vector3): Vector3 {
  const position = new Vector3();
  const rotation = new Quaternion();
  const point = new Vector3();
  let mass = 0;
  result.set(0, 0, 0);
  const bodies = run.model.bodies ?? [];
  const weightless = bodies.every((body) => !(body.mass > 0));
  bodies.forEach((body, k) => {
    run.pose(k, t, position, rotation);
    const m = weightless ? 1 : body.mass;
    result.addScaledVector(point.set(...body.com).applyQuaternion(rotation).add(position), m);
    mass += m;
  });
  return mass > 0 ? result.divideScalar(mass) : result;
}
