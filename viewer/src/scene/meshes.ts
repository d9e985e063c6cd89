// Meshes of a model: triangles that stand in the document as numbers of single precision.
import { Box3, BufferAttribute, BufferGeometry, Vector3 } from 'three';
import { floats, integers } from '../data';
import type { MeshData, Model, Shape } from '../data';

// A mesh with its scale: what a part is drawn with.
export interface ScaledMesh {
  key: string; // equal ones are drawn together
  data: MeshData;
  scale: Vector3;
}

export function meshOf(model: Model, shape: Shape): ScaledMesh | null {
  const data = shape.mesh === undefined ? undefined : model.meshes?.[shape.mesh];
  return data ? { key: `${shape.mesh} ${shape.size}`, data, scale: new Vector3(...shape.size) } : null;
}

// In its own frame.
export function boundsOf({ data, scale }: ScaledMesh): Box3 {
  return new Box3().setFromPoints([new Vector3(...data.low).multiply(scale), new Vector3(...data.high).multiply(scale)]);
}

// How far it reaches from its origin.
export function reachOf(mesh: ScaledMesh): number {
  const { min, max } = boundsOf(mesh);
  return Math.max(min.length(), max.length());
}

// Every triangle flat, with corners of its own. A mirror image has its corners the other way round.
export function geometryOfMesh({ data, scale }: ScaledMesh): BufferGeometry {
  const points = floats(data.points, 3 * data.vertices);
  const corners = integers(data.corners, 3 * data.triangles);
  const order = scale.x * scale.y * scale.z < 0 ? [0, 2, 1] : [0, 1, 2];
  const positions = new Float32Array(9 * data.triangles);
  for (let k = 0; k < data.triangles; ++k)
    for (let i = 0; i < 3; ++i) {
      const from = 3 * corners[3 * k + order[i]];
      const to = 9 * k + 3 * i;
      positions[to] = points[from] * scale.x;
      positions[to + 1] = points[from + 1] * scale.y;
      positions[to + 2] = points[from + 2] * scale.z;
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}
