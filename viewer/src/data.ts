// The document `cartan view` hands over: its types (src/report/viewer_data.h says the same in C++),
// where it comes from, and how its numbers are unpacked.

export type Vec = [number, number, number];
export type Quaternion = [number, number, number, number]; // w x y z
export type Expression = number | string;

export interface Shape {
  kind: 'box' | 'cylinder' | 'tube' | 'sphere' | 'mesh';
  size: number[]; // mesh: its scale
  mesh?: string; // a key of the model's meshes
  at: Vec;
  quaternion: Quaternion;
  color?: string;
}
export interface MeshData {
  low: Vec; // corners of the box around it
  high: Vec;
  vertices: number;
  triangles: number;
  points: string; // x y z of each vertex, single precision
  corners: string; // three vertices of each triangle, 32 bits
}
export interface Body {
  name: string;
  mass: number;
  com: Vec;
  inertia: number[]; // xx yy zz xy xz yz
  shapes: Shape[];
}
export interface Place {
  body: string;
  at: Expression[];
  quaternion: Quaternion;
}
export interface Joint {
  name: string;
  type: string;
  parent: Place;
  child: Place;
  axes?: Vec[];
}
export interface Force {
  name: string;
  type: string;
  from?: Place;
  to?: Place;
  stiffness?: Expression | Expression[];
  damping?: Expression | Expression[];
  length?: Expression | null;
  body?: string;
  at?: Expression[];
  force?: Expression[];
  torque?: Expression[];
  frame?: string;
  axis?: Expression[]; // of a tyre's wheel
  radius?: Expression;
}
export interface Constraint {
  name: string;
  type: string;
  from?: Place;
  to?: Place;
  body?: string;
  center?: Expression[];
  axis?: Expression[];
  radius?: Expression;
  rim?: Expression; // radius of the tube where the rim is round
  plane?: { body: string; point: Expression[]; normal: Expression[] };
  at?: Expression[];
  normal?: Expression[];
}
export interface Contact {
  name: string;
  joint?: string; // of a stop
  a?: Place;
  b?: Place;
}
export interface Cut {
  name: string;
  body: string;
  at: Expression[];
  normal: Expression[];
}
export interface Model {
  name: string;
  parameters: Record<string, number>;
  variables?: { name: string }[];
  gravity?: Expression[];
  gravity_frame?: string;
  bodies?: Body[];
  joints?: Joint[];
  forces?: Force[];
  constraints?: Constraint[];
  contacts?: Contact[];
  cuts?: Cut[];
  tree?: { joint: string; inboard: string; outboard: string }[];
  loops?: string[];
  meshes?: Record<string, MeshData>;
}

export interface PackedTable {
  name: string;
  count: number;
  recorded: number;
  every: number;
  type: 'f32' | 'f64';
  columns: string[];
  units: string[]; // of the columns, '' where there is none
  t: string;
  data: string;
}
export interface PackedFrames {
  count: number;
  recorded: number;
  every: number;
  t: string;
  poses: string;
}
export interface RunDocument {
  label: string;
  model: Model;
  summary: Record<string, any> | null;
  frames: PackedFrames | null;
  tables: PackedTable[];
  events: { t: number; name: string; direction: number }[];
  impacts?: { t: number; contact: string; normal: number }[];
}
export interface ViewerDocument {
  format: string;
  kind: 'run' | 'assembly';
  runs: RunDocument[];
  modes: any;
}

// A sentence for the user rather than a mistake of ours.
export class DataProblem extends Error {}

function bytes(text: string): ArrayBuffer {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new DataProblem('The data in this page are damaged: numbers cannot be read.');
  }
  const result = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) result[k] = binary.charCodeAt(k);
  return result.buffer;
}

function checked<T extends { length: number }>(numbers: T, expected: number): T {
  if (numbers.length !== expected)
    throw new DataProblem(
      `The data in this page are damaged: ${numbers.length} numbers where ${expected} were expected.`,
    );
  return numbers;
}

export function doubles(text: string, count: number): Float64Array {
  const buffer = bytes(text);
  checked({ length: buffer.byteLength }, count * 8);
  return new Float64Array(buffer);
}

export function floats(text: string, count: number): Float32Array {
  const buffer = bytes(text);
  checked({ length: buffer.byteLength }, count * 4);
  return new Float32Array(buffer);
}

export function integers(text: string, count: number): Uint32Array {
  const buffer = bytes(text);
  checked({ length: buffer.byteLength }, count * 4);
  return new Uint32Array(buffer);
}

function check(document: any): ViewerDocument {
  if (document?.format !== 'cartan-viewer-1' || !Array.isArray(document.runs) || !document.runs[0]?.model)
    throw new DataProblem('This page and its data do not belong together; export it again with this version.');
  return document;
}

// The data inside the page, else those of the server that sent it.
export async function loadDocument(): Promise<ViewerDocument> {
  const inside = document.getElementById('cartan-data');
  if (inside) {
    try {
      return check(JSON.parse(inside.textContent ?? ''));
    } catch (error) {
      if (error instanceof DataProblem) throw error;
      throw new DataProblem('The data in this page are damaged; export it again with cartan view --export.');
    }
  }
  if (!location.protocol.startsWith('http'))
    throw new DataProblem('This page has no data. cartan view DIR serves it with a run; --export puts one inside.');
  let response: Response;
  try {
    response = await fetch('data.json', { cache: 'no-store' });
  } catch {
    throw new DataProblem('cartan view no longer answers. Start it again and reload this page.');
  }
  if (!response.ok) throw new DataProblem((await response.text()).trim());
  return check(await response.json());
}
