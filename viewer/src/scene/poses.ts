// Where every body is now, as matrices all parts of the scene share.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Expression, Place, Quaternion as Wxyz } from '../data';
import type { Run } from '../run';

const identity = new Matrix4();
const position = new Vector3();
const rotation = new Quaternion();
const one = new Vector3(1, 1, 1);

// Displaces the bodies of a reference pose: a mode shape.
export type Displacement = (body: number, position: Vector3, rotation: Quaternion) => void;

export class Poses {
  readonly matrices: Matrix4[];
  displacement: Displacement | null = null;

  constructor(readonly run: Run) {
    this.matrices = Array.from({ length: run.bodyCount }, () => new Matrix4());
    this.update(run.begin);
  }

  update(t: number): void {
    this.matrices.forEach((matrix, body) => {
      this.run.pose(body, t, position, rotation);
      this.displacement?.(body, position, rotation);
      matrix.compose(position, rotation, one);
    });
  }

  of(body: number): Matrix4 {
    return body < 0 ? identity : this.matrices[body];
  }
  ofName(body: string): Matrix4 {
    return this.of(this.run.indexOf(body));
  }
}

export function toQuaternion([w, x, y, z]: Wxyz): Quaternion {
  return new Quaternion(x, y, z, w);
}

// Three numbers, or null where an expression of the state stands.
export function toVector(values: Expression[] | undefined): Vector3 | null {
  if (!values || values.length === 0) return new Vector3();
  if (values.length !== 3 || values.some((value) => typeof value !== 'number')) return null;
  return new Vector3(...(values as [number, number, number]));
}

export function placeMatrix(place: Place): Matrix4 {
  return new Matrix4().compose(toVector(place.at) ?? new Vector3(), toQuaternion(place.quaternion), one);
}
