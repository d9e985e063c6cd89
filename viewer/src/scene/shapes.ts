// The parts a body is drawn with, in its own frame: its shapes, or where it has none, a box with the
// same inertia and sticks to its joints.
import { Matrix3, Matrix4, Quaternion, Vector3 } from 'three';
import { cssColor, palette } from '../colors';
import type { Body, Model, Shape } from '../data';
import { meshOf } from './meshes';
import type { ScaledMesh } from './meshes';
import { toQuaternion, toVector } from './poses';

// A unit form (box of side 1, cylinder and tube of radius 1 and length 1 along z, sphere of radius 1)
// under a local transform with scale.
export interface Part {
  form: 'box' | 'cylinder' | 'sphere' | 'tube' | 'mesh';
  hollow: number; // tube: inner over outer radius
  mesh?: ScaledMesh; // drawn as it is: `local` does not scale
  body: number;
  local: Matrix4;
  color: string;
}

export function partsOf(model: Model, sceneSize: number): Part[] {
  const parts: Part[] = [];
  (model.bodies ?? []).forEach((body, index) => {
    const color = palette[index % palette.length];
    if (body.shapes.length > 0)
      for (const shape of body.shapes) parts.push(shapePart(model, shape, index, color));
    else parts.push(...inertiaParts(model, body, index, color, sceneSize));
  });
  return parts;
}

function scaleOf(shape: Shape): Vector3 {
  const s = shape.size;
  switch (shape.kind) {
    case 'box':
      return new Vector3(s[0], s[1], s[2]);
    case 'cylinder':
      return new Vector3(s[0], s[0], s[1]);
    case 'tube':
      return new Vector3(s[1], s[1], s[2]);
    case 'sphere':
      return new Vector3(s[0], s[0], s[0]);
    case 'mesh':
      return new Vector3(1, 1, 1);
  }
}

function shapePart(model: Model, shape: Shape, body: number, fallback: string): Part {
  return {
    mesh: meshOf(model, shape) ?? undefined,
    form: shape.kind,
    hollow: shape.kind === 'tube' ? shape.size[0] / shape.size[1] : 0,
    body,
    local: new Matrix4().compose(toVector(shape.at) ?? new Vector3(), toQuaternion(shape.quaternion), scaleOf(shape)),
    color: cssColor(shape.color) ?? fallback,
  };
}

// Points where joints hold the body.
function attachments(model: Model, name: string): Vector3[] {
  const points: Vector3[] = [];
  for (const joint of model.joints ?? [])
    for (const side of [joint.parent, joint.child]) {
      const at = side.body === name && joint.type !== 'free' ? toVector(side.at) : null;
      if (at) points.push(at);
    }
  return points;
}

function inertiaParts(model: Model, body: Body, index: number, color: string, sceneSize: number): Part[] {
  const com = new Vector3(...body.com);
  const points = attachments(model, body.name);
  const reach = Math.max(...points.map((point) => point.distanceTo(com)), 0);
  const { axes, sides } = equivalentBox(body);
  // The box has the right proportions; where it would hide its joints it is made smaller.
  const largest = Math.max(sides.x, sides.y, sides.z);
  const limit = reach > 0 ? 1.2 * reach : 0.5 * sceneSize;
  if (largest > limit) sides.multiplyScalar(limit / largest);
  const thin = 0.02 * sceneSize;
  const particle = largest < 1e-9 * sceneSize;
  const size = particle
    ? new Vector3(1, 1, 1).multiplyScalar(0.03 * sceneSize)
    : sides.clone().max(new Vector3(1, 1, 1).multiplyScalar(Math.min(thin, 0.3 * Math.min(largest, limit))));
  const parts: Part[] = [
    { form: particle ? 'sphere' : 'box', hollow: 0, body: index, local: new Matrix4().compose(com, axes, size), color },
  ];
  for (const point of points) {
    const stick = stickBetween(point, com, 0.006 * sceneSize);
    if (stick) parts.push({ form: 'cylinder', hollow: 0, body: index, local: stick, color });
  }
  return parts;
}

export function stickBetween(a: Vector3, b: Vector3, radius: number): Matrix4 | null {
  const along = b.clone().sub(a);
  const length = along.length();
  if (length < 1e-9) return null;
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), along.divideScalar(length));
  return new Matrix4().compose(a.clone().lerp(b, 0.5), turn, new Vector3(radius, radius, length));
}

// Sides of a box with mass m: m (b^2 + c^2) / 12 = I1 and so on, so a^2 = 6 (I2 + I3 - I1) / m.
export function equivalentBox(body: Body): { axes: Quaternion; sides: Vector3 } {
  const { values, vectors } = eigen(body.inertia);
  const [i1, i2, i3] = values;
  const side = (x: number) => (body.mass > 0 ? Math.sqrt(Math.max(0, (6 * x) / body.mass)) : 0);
  return {
    axes: new Quaternion().setFromRotationMatrix(vectors),
    sides: new Vector3(side(i2 + i3 - i1), side(i1 + i3 - i2), side(i1 + i2 - i3)),
  };
}

// Jacobi's method for a symmetric matrix [xx yy zz xy xz yz].
function eigen([xx, yy, zz, xy = 0, xz = 0, yz = 0]: number[]): { values: number[]; vectors: Matrix4 } {
  const a = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 30; ++sweep)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (a[p][q] === 0) continue;
      const theta = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]);
      const c = Math.cos(theta);
      const s = Math.sin(theta);
      for (let k = 0; k < 3; ++k) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; ++k) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; ++k) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  const m = new Matrix3(v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0], v[2][1], v[2][2]);
  if (m.determinant() < 0) for (const row of v) row[2] = -row[2];
  return {
    values: [a[0][0], a[1][1], a[2][2]],
    vectors: new Matrix4(v[0][0], v[0][1], v[0][2], 0, v[1][0], v[1][1], v[1][2], 0, v[2][0], v[2][1], v[2][2], 0, 0, 0, 0, 1),
  };
}
