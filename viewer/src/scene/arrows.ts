// Arrows in two draw calls.
import { Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from 'three';

const alongZ = new Vector3(0, 0, 1);
const direction = new Vector3();
const middle = new Vector3();
const turn = new Quaternion();
const scale = new Vector3();
const matrix = new Matrix4();
const nothing = new Matrix4().makeScale(0, 0, 0);

export class Arrows {
  readonly group = new Group();
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;

  // `width`: radius of the shaft; `heads`: cones at the tip, two for torques.
  constructor(
    private readonly count: number,
    color: string,
    private readonly width: number,
    private readonly cones = 1,
  ) {
    // Seen through bodies: most of them begin inside one.
    const material = new MeshBasicMaterial({ color: new Color(color), depthTest: false, transparent: true, fog: false });
    const room = Math.max(1, count);
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2), material, room);
    this.heads = new InstancedMesh(new ConeGeometry(1, 1, 12).rotateX(Math.PI / 2), material, room * cones);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      this.group.add(mesh);
    }
    for (let k = 0; k < room; ++k) this.clear(k);
  }

  clear(k: number): void {
    this.shafts.setMatrixAt(k, nothing);
    for (let c = 0; c < this.cones; ++c) this.heads.setMatrixAt(k * this.cones + c, nothing);
  }

  // From `origin` along `vector`, as long as it.
  set(k: number, origin: Vector3, vector: Vector3): void {
    const length = vector.length();
    if (!(length > 0.5 * this.width)) return this.clear(k);
    direction.copy(vector).divideScalar(length);
    turn.setFromUnitVectors(alongZ, direction);
    const head = Math.min(5 * this.width, 0.5 * length);
    const radius = Math.min(this.width, 0.15 * length);
    const shaft = Math.max(0, length - head);
    middle.copy(origin).addScaledVector(direction, shaft / 2);
    this.shafts.setMatrixAt(k, matrix.compose(middle, turn, scale.set(radius, radius, shaft)));
    for (let c = 0; c < this.cones; ++c) {
      middle.copy(origin).addScaledVector(direction, length - head / 2 - 0.7 * c * head);
      this.heads.setMatrixAt(k * this.cones + c, matrix.compose(middle, turn, scale.set(2.4 * radius, 2.4 * radius, head)));
    }
  }

  // What is drawn, from the matrices of shaft and tip; null for none.
  read(k: number): { origin: Vector3; vector: Vector3 } | null {
    this.shafts.getMatrixAt(k, matrix);
    if (matrix.determinant() === 0) return null;
    matrix.decompose(middle, turn, scale);
    const shaft = scale.z;
    direction.copy(alongZ).applyQuaternion(turn);
    const origin = middle.clone().addScaledVector(direction, -shaft / 2);
    this.heads.getMatrixAt(k * this.cones, matrix);
    matrix.decompose(middle, turn, scale);
    const vector = middle.clone().addScaledVector(direction, scale.z / 2).sub(origin);
    return { origin, vector };
  }

  flush(): void {
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }
  get size(): number {
    return this.count;
  }
}
