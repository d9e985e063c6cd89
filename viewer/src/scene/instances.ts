// Many parts in few draw calls: parts of the same form share one instanced mesh.
import {
  BoxGeometry, BufferGeometry, Color, CylinderGeometry, ExtrudeGeometry, Group, InstancedMesh, Material,
  Matrix4, Path, Shape, SphereGeometry,
} from 'three';
import { geometryOfMesh } from './meshes';
import type { Part } from './shapes';
import type { Poses } from './poses';

export interface Detail {
  segments: number; // of a circle
  material: (ghost: boolean) => Material;
  shadows: boolean;
}

function geometryOf({ form, hollow, mesh }: Part, segments: number): BufferGeometry {
  switch (form) {
    case 'mesh':
      return mesh ? geometryOfMesh(mesh) : new BufferGeometry();
    case 'box':
      return new BoxGeometry(1, 1, 1);
    case 'sphere':
      return new SphereGeometry(1, segments, Math.ceil(segments / 2));
    case 'cylinder':
      return new CylinderGeometry(1, 1, 1, segments).rotateX(Math.PI / 2);
    case 'tube': {
      const ring = new Shape().absarc(0, 0, 1, 0, 2 * Math.PI, false);
      ring.holes.push(new Path().absarc(0, 0, hollow, 0, 2 * Math.PI, true));
      return new ExtrudeGeometry(ring, { depth: 1, bevelEnabled: false, curveSegments: segments }).translate(0, 0, -0.5);
    }
  }
}

const matrix = new Matrix4();

export class InstanceSet {
  readonly group = new Group();
  private readonly meshes: { mesh: InstancedMesh; parts: Part[] }[] = [];

  constructor(parts: Part[], detail: Detail, ghost: string | null = null) {
    const byForm = new Map<string, Part[]>();
    for (const part of parts) {
      const key = `${part.form} ${part.hollow.toFixed(3)} ${part.mesh?.key ?? ''}`;
      byForm.set(key, [...(byForm.get(key) ?? []), part]);
    }
    for (const alike of byForm.values()) {
      const mesh = new InstancedMesh(
        geometryOf(alike[0], detail.segments),
        detail.material(ghost !== null),
        alike.length,
      );
      alike.forEach((part, k) => mesh.setColorAt(k, new Color(ghost ?? part.color)));
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = detail.shadows && ghost === null;
      this.meshes.push({ mesh, parts: alike });
      this.group.add(mesh);
    }
  }

  update(poses: Poses): void {
    for (const { mesh, parts } of this.meshes) {
      parts.forEach((part, k) => mesh.setMatrixAt(k, matrix.multiplyMatrices(poses.of(part.body), part.local)));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  get objects(): InstancedMesh[] {
    return this.meshes.map(({ mesh }) => mesh);
  }
  partOf(mesh: InstancedMesh, instance: number): Part | null {
    return this.meshes.find((entry) => entry.mesh === mesh)?.parts[instance] ?? null;
  }

  // What is drawn of a body, read back from the meshes: part and world matrix, column by column.
  readBack(body: number): { form: string; matrix: number[] }[] {
    const found: { form: string; matrix: number[] }[] = [];
    for (const { mesh, parts } of this.meshes)
      parts.forEach((part, k) => {
        if (part.body !== body) return;
        mesh.getMatrixAt(k, matrix);
        found.push({ form: part.form, matrix: matrix.toArray() });
      });
    return found;
  }
}
