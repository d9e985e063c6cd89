// Thin lines that move: springs, ropes, frames, joint axes. One buffer each.
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Matrix4, Vector3 } from 'three';
import { axisColors } from '../colors';
import type { Constraint, Expression, Force, Model } from '../data';
import { jointAxes } from './joints';
import { Poses, placeMatrix, toVector } from './poses';

const a = new Vector3();
const b = new Vector3();
const matrix = new Matrix4();

// Segments written one after the other.
class SegmentBuffer {
  readonly object: LineSegments;
  private readonly positions: Float32Array;
  private readonly colors: Float32Array;
  private next = 0;

  constructor(segments: number, private readonly color: string | null = null) {
    this.positions = new Float32Array(Math.max(1, segments) * 6);
    this.colors = new Float32Array(Math.max(1, segments) * 6);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.positions, 3));
    if (!color) geometry.setAttribute('color', new BufferAttribute(this.colors, 3));
    this.object = new LineSegments(
      geometry,
      new LineBasicMaterial({ color: color ?? '#ffffff', vertexColors: !color, fog: false }),
    );
    this.object.frustumCulled = false;
  }
  begin(): void {
    this.next = 0;
  }
  add(from: Vector3, to: Vector3, color?: Color): void {
    from.toArray(this.positions, this.next);
    to.toArray(this.positions, this.next + 3);
    if (color) {
      color.toArray(this.colors, this.next);
      color.toArray(this.colors, this.next + 3);
    }
    this.next += 6;
  }
  end(): void {
    const geometry = this.object.geometry;
    geometry.setDrawRange(0, this.next / 3);
    geometry.attributes.position.needsUpdate = true;
    if (!this.color) geometry.attributes.color.needsUpdate = true;
  }
}

// Coils between the two points of every spring.
export class Springs {
  private static readonly steps = 96;
  private readonly buffer: SegmentBuffer;
  readonly springs: Force[];

  constructor(model: Model, private readonly radius: number) {
    this.springs = (model.forces ?? []).filter((force) => force.type === 'spring' && force.from && force.to);
    this.buffer = new SegmentBuffer(this.springs.length * Springs.steps, '#009e73');
  }
  get object(): LineSegments {
    return this.buffer.object;
  }

  update(poses: Poses): void {
    this.buffer.begin();
    const from = new Vector3();
    const to = new Vector3();
    const along = new Vector3();
    const side = new Vector3();
    const other = new Vector3();
    for (const spring of this.springs) {
      endPoint(spring.from!, poses, from);
      endPoint(spring.to!, poses, to);
      along.copy(to).sub(from);
      const length = along.length();
      if (length < 1e-9) continue;
      along.divideScalar(length);
      side.set(0, 0, 1);
      if (Math.abs(along.z) > 0.9) side.set(1, 0, 0);
      side.cross(along).normalize();
      other.crossVectors(along, side);
      a.copy(from);
      for (let k = 1; k <= Springs.steps; ++k) {
        const share = k / Springs.steps;
        const winding = share > 0.12 && share < 0.88 ? this.radius : 0;
        const angle = 2 * Math.PI * 9 * share;
        b.copy(from)
          .addScaledVector(along, share * length)
          .addScaledVector(side, winding * Math.cos(angle))
          .addScaledVector(other, winding * Math.sin(angle));
        this.buffer.add(a, b);
        a.copy(b);
      }
    }
    this.buffer.end();
  }
}

export function endPoint(place: NonNullable<Force['from']>, poses: Poses, result: Vector3): void {
  result.copy(toVector(place.at) ?? b.set(0, 0, 0)).applyMatrix4(poses.ofName(place.body));
}

export function hasLines(model: Model): boolean {
  return (model.constraints ?? []).length > 0 || tyres(model).length > 0;
}
function tyres(model: Model): Force[] {
  return (model.forces ?? []).filter((force) => force.type === 'tyre');
}

// Straight lines of distance constraints, rims of rolling discs and tyres, directions of knife edges, a square of the plane
// about a point that stays in it.
export class ConstraintLines {
  private static readonly rim = 48;
  private readonly buffer: SegmentBuffer;
  private readonly constraints: Constraint[];
  private readonly tyres: Force[];

  constructor(model: Model, private readonly size: number) {
    this.constraints = model.constraints ?? [];
    this.tyres = tyres(model);
    const rims = 3 * this.constraints.length + this.tyres.length;
    this.buffer = new SegmentBuffer(rims * ConstraintLines.rim, '#e69f00');
  }
  get object(): LineSegments {
    return this.buffer.object;
  }

  update(poses: Poses): void {
    this.buffer.begin();
    for (const constraint of this.constraints) {
      if (constraint.type === 'distance' && constraint.from && constraint.to) {
        const from = new Vector3();
        endPoint(constraint.from, poses, from);
        const to = new Vector3();
        endPoint(constraint.to, poses, to);
        this.buffer.add(from, to);
      } else if (constraint.type === 'rolling-disc') {
        this.addDisc(constraint, poses);
      } else if (constraint.type === 'knife-edge') {
        this.addEdge(constraint, poses);
      } else if (constraint.type === 'point-on-plane') {
        this.addPatch(constraint, poses);
      }
    }
    for (const tyre of this.tyres) this.addRim(tyre.body!, tyre.at, tyre.axis, tyre.radius, 0, poses);
    this.buffer.end();
  }

  // A round rim has a circle on either side of the tube too.
  private addDisc(disc: Constraint, poses: Poses): void {
    this.addRim(disc.body!, disc.center, disc.axis, disc.radius, 0, poses);
    if (typeof disc.radius !== 'number' || typeof disc.rim !== 'number' || disc.rim === 0) return;
    for (const side of [-disc.rim, disc.rim])
      this.addRim(disc.body!, disc.center, disc.axis, disc.radius - disc.rim, side, poses);
  }

  // A circle about the axis, `shift` along it from the centre.
  private addRim(
    name: string, at0: Expression[] | undefined, along: Expression[] | undefined,
    radius: Expression | undefined, shift: number, poses: Poses,
  ): void {
    const center = toVector(at0);
    const axis = toVector(along);
    if (!center || !axis || typeof radius !== 'number') return;
    axis.normalize();
    center.addScaledVector(axis, shift);
    const side = new Vector3(1, 0, 0);
    if (Math.abs(axis.x) > 0.9) side.set(0, 1, 0);
    side.cross(axis).normalize();
    const other = new Vector3().crossVectors(axis, side);
    const body = poses.ofName(name);
    const at = (k: number, result: Vector3) => {
      const angle = (2 * Math.PI * k) / ConstraintLines.rim;
      return result
        .copy(center)
        .addScaledVector(side, radius * Math.cos(angle))
        .addScaledVector(other, radius * Math.sin(angle))
        .applyMatrix4(body);
    };
    at(0, a);
    for (let k = 1; k <= ConstraintLines.rim; ++k) {
      this.buffer.add(a, at(k, b));
      a.copy(b);
    }
  }

  private addPatch(pin: Constraint, poses: Poses): void {
    const at = toVector(pin.at);
    const n = toVector(pin.plane?.normal);
    if (!at || !n) return;
    at.applyMatrix4(poses.ofName(pin.body!));
    n.transformDirection(poses.ofName(pin.plane!.body));
    const side = new Vector3(1, 0, 0);
    if (Math.abs(n.x) > 0.7) side.set(0, 1, 0);
    side.cross(n).setLength(this.size);
    const other = new Vector3().crossVectors(n, side);
    a.copy(at).add(side);
    for (let k = 0; k < 4; ++k) {
      b.copy(a).sub(at).applyAxisAngle(n, Math.PI / 2).add(at);
      this.buffer.add(a, b);
      a.copy(b);
    }
    this.buffer.add(a.copy(at).sub(other), b.copy(at).add(other));
    this.buffer.add(a.copy(at).sub(side), b.copy(at).add(side));
  }

  private addEdge(edge: Constraint, poses: Poses): void {
    const at = toVector(edge.at);
    const normal = toVector(edge.normal);
    if (!at || !normal) return;
    const body = poses.ofName(edge.body!);
    a.copy(at).addScaledVector(normal, -this.size).applyMatrix4(body);
    b.copy(at).addScaledVector(normal, this.size).applyMatrix4(body);
    this.buffer.add(a, b);
  }
}

// Axes x, y, z of every body's frame.
export class Frames {
  private readonly buffer: SegmentBuffer;
  private readonly colors = axisColors.map((color) => new Color(color));

  constructor(count: number, private readonly length: number) {
    this.buffer = new SegmentBuffer(count * 3);
  }
  get object(): LineSegments {
    return this.buffer.object;
  }

  update(poses: Poses): void {
    this.buffer.begin();
    for (const pose of poses.matrices)
      for (let axis = 0; axis < 3; ++axis) {
        a.setFromMatrixPosition(pose);
        b.setFromMatrixColumn(pose, axis).multiplyScalar(this.length).add(a);
        this.buffer.add(a, b, this.colors[axis]);
      }
    this.buffer.end();
  }
}

// Axes about or along which joints move.
export class JointAxes {
  private readonly buffer: SegmentBuffer;
  private readonly axes: { body: string; frame: Matrix4; axis: Vector3 }[] = [];

  constructor(model: Model, private readonly length: number) {
    for (const joint of model.joints ?? [])
      for (const axis of jointAxes(joint))
        this.axes.push({ body: joint.child.body, frame: placeMatrix(joint.child), axis });
    this.buffer = new SegmentBuffer(this.axes.length, '#cc79a7');
  }
  get object(): LineSegments {
    return this.buffer.object;
  }

  update(poses: Poses): void {
    this.buffer.begin();
    for (const { body, frame, axis } of this.axes) {
      matrix.multiplyMatrices(poses.ofName(body), frame);
      a.copy(axis).multiplyScalar(-this.length).applyMatrix4(matrix);
      b.copy(axis).multiplyScalar(this.length).applyMatrix4(matrix);
      this.buffer.add(a, b);
    }
    this.buffer.end();
  }
}
