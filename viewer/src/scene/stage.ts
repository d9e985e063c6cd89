// Renderer, camera, lights and ground.
import {
  AxesHelper, Box3, BufferGeometry, CanvasTexture, Color, DirectionalLight, Float32BufferAttribute, Fog, Group, HemisphereLight,
  LineBasicMaterial, LineSegments, Material, Mesh, MeshLambertMaterial, MeshStandardMaterial, PerspectiveCamera, PlaneGeometry,
  Quaternion, Scene, ShadowMaterial, Sprite, SpriteMaterial, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { axisColors } from '../colors';
import { DataProblem } from '../data';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

export type ViewDirection = 'home' | 'front' | 'side' | 'top';

// Lines in short pieces, which every renderer clips well; (2 n)^2 cells in the plane y = 0.
function makeGrid(spacing: number, n: number, piece: number): LineSegments {
  const points: number[] = [];
  for (let i = -n; i <= n; ++i)
    for (let k = -n; k < n; k += piece) {
      points.push(i * spacing, 0, k * spacing, i * spacing, 0, (k + piece) * spacing);
      points.push(k * spacing, 0, i * spacing, (k + piece) * spacing, 0, i * spacing);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial());
}

// A letter that faces the camera and keeps its size on the screen.
function makeLetter(letter: string, color: string): Sprite {
  const side = 64;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  const context = canvas.getContext('2d')!;
  context.font = '600 46px system-ui, "Liberation Sans", sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = color;
  context.fillText(letter, side / 2, side / 2);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const sprite = new Sprite(new SpriteMaterial({ map, transparent: true, depthTest: false, depthWrite: false, sizeAttenuation: false, fog: false }));
  sprite.name = `axis ${letter}`;
  return sprite;
}

const letterPixels = 26; // of the square a letter stands in

export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly fine: boolean; // a real graphics processor: shadows, smooth materials
  readonly ground = new Group();
  private readonly shadowSize: number;
  private readonly up: Vector3;
  private readonly key = new DirectionalLight('#ffffff', 2.2);
  private readonly sky = new HemisphereLight('#ffffff', '#8b8680', 1.6);
  private grid: LineSegments | null = null;
  private spacing = 1;
  private size = 1;
  private readonly letters: Sprite[] = [];
  // How the camera was last placed to show all of a box; null once a hand has moved it.
  private fitted: { box: Box3; direction: ViewDirection } | null = null;

  constructor(readonly canvas: HTMLCanvasElement, up: Vector3, quality: string | null) {
    this.up = up.clone();
    const probe = document.createElement('canvas').getContext('webgl2');
    if (!probe) throw new DataProblem('This browser cannot draw in three dimensions: it has no WebGL 2.');
    const info = probe.getExtension('WEBGL_debug_renderer_info');
    const name = info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
    probe.getExtension('WEBGL_lose_context')?.loseContext();
    const software = /swiftshader|llvmpipe|software/i.test(name);
    this.shadowSize = software ? 1024 : 2048;
    this.fine = quality === 'high' || (quality !== 'low' && !software);
    this.renderer = new WebGLRenderer({ canvas, antialias: this.fine, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(this.fine ? Math.min(2, window.devicePixelRatio) : 1);
    this.renderer.shadowMap.enabled = this.fine;
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('start', () => (this.fitted = null));
    this.scene.add(this.sky, this.key, this.key.target, this.ground);
    this.sky.position.copy(this.up);
  }

  // Light falls from one side of the camera's first place.
  prepare(size: number, box: Box3, height: number): void {
    this.size = size;
    this.camera.near = size / 200;
    this.camera.far = size * 400;
    if (this.fine) {
      this.key.castShadow = true;
      this.key.shadow.mapSize.set(this.shadowSize, this.shadowSize);
      const reach = 0.5 * box.getSize(new Vector3()).length() + 0.2 * size;
      Object.assign(this.key.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 8 * size + 2 * reach });
      this.key.shadow.normalBias = 0.004 * size;
      this.key.shadow.radius = 4;
    }
    this.layGround(size, height);
    const axes = new AxesHelper(0.18 * size);
    axes.setColors(new Color(axisColors[0]), new Color(axisColors[1]), new Color(axisColors[2]));
    this.ground.add(axes);
    ['x', 'y', 'z'].forEach((letter, k) => {
      const sprite = makeLetter(letter, axisColors[k]);
      sprite.position.setComponent(k, 0.2 * size);
      this.letters.push(sprite);
      this.ground.add(sprite);
    });
  }

  private layGround(size: number, height: number): void {
    this.spacing = 10 ** Math.round(Math.log10(size / 6));
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    this.grid = this.fine ? makeGrid(this.spacing, 24, 1) : makeGrid(2 * this.spacing, 12, 4);
    this.grid.quaternion.copy(turn);
    this.grid.userData.height = height;
    this.ground.add(this.grid);
    if (this.fine) {
      const catcher = new Mesh(new PlaneGeometry(48 * this.spacing, 48 * this.spacing), new ShadowMaterial({ opacity: 0.22, depthWrite: false }));
      catcher.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up));
      catcher.receiveShadow = true;
      this.grid.userData.catcher = catcher;
      this.ground.add(catcher);
    }
  }

  // The ground goes along with what is looked at, line on line.
  private moveGround(): void {
    if (!this.grid) return;
    const snapped = this.controls.target.clone().divideScalar(this.spacing).round().multiplyScalar(this.spacing);
    snapped.addScaledVector(this.up, this.grid.userData.height - snapped.dot(this.up));
    this.grid.position.copy(snapped);
    this.grid.userData.catcher?.position.copy(snapped).addScaledVector(this.up, -0.001 * this.size);
    if (this.scene.fog instanceof Fog) {
      const distance = this.camera.position.distanceTo(snapped);
      this.scene.fog.near = distance + 2 * this.spacing;
      this.scene.fog.far = distance + 23 * this.spacing;
    }
    const aside = new Vector3(0.45, -0.55, 0);
    if (Math.abs(this.up.y) > 0.9) aside.set(0.45, 0, 0.55);
    this.key.target.position.copy(this.controls.target);
    this.key.position.copy(this.controls.target).addScaledVector(this.up, 3 * this.size).addScaledVector(aside, 4 * this.size);
  }

  material(ghost: boolean, ghostOpacity = 0.35): Material {
    const see = ghost ? { transparent: true, opacity: ghostOpacity, depthWrite: false, fog: false } : { fog: false };
    return this.fine
      ? new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05, ...see })
      : new MeshLambertMaterial(see);
  }

  setTheme(dark: boolean): void {
    this.scene.background = new Color(dark ? '#14181d' : '#f3f5f7');
    if (!this.grid) return;
    (this.grid.material as LineBasicMaterial).color.set(dark ? '#39424d' : '#c3cad2');
    // Far lines fade into the background.
    this.scene.fog = new Fog(this.scene.background as Color, 10 * this.spacing, 24 * this.spacing);
  }

  // All of `box` in the picture, seen from a direction.
  look(box: Box3, direction: ViewDirection): void {
    this.fitted = { box: box.clone(), direction };
    const center = box.getCenter(new Vector3());
    const front = Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
    const side = front.clone().cross(this.up).negate();
    const from = {
      home: front.clone().multiplyScalar(0.82).addScaledVector(side, 0.5).addScaledVector(this.up, 0.34),
      front,
      side,
      top: this.up.clone().addScaledVector(front, 1e-4),
    }[direction].normalize();
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(from, this.distanceFor(box, center, from));
    this.controls.update();
  }

  // A corner r to the side and f towards the camera is in the picture when r <= (distance - f) tan(half angle).
  private distanceFor(box: Box3, center: Vector3, from: Vector3): number {
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * Math.max(0.2, this.camera.aspect);
    const right = new Vector3().crossVectors(this.up, from).normalize();
    const above = new Vector3().crossVectors(from, right);
    let distance = 0.8 * this.size;
    for (const x of [box.min.x, box.max.x])
      for (const y of [box.min.y, box.max.y])
        for (const z of [box.min.z, box.max.z]) {
          const corner = new Vector3(x, y, z).sub(center);
          const forward = corner.dot(from);
          distance = Math.max(distance, Math.abs(corner.dot(right)) / wide + forward, Math.abs(corner.dot(above)) / tall + forward);
        }
    return 1.08 * distance;
  }

  // The camera keeps its place relative to a moving target.
  moveTarget(to: Vector3): void {
    const shift = to.clone().sub(this.controls.target);
    this.fitted?.box.translate(shift);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.controls.update();
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    if (this.camera.aspect !== width / height) this.setAspect(width / height);
    // of the height of the picture, seen at the distance 1
    const letter = (2 * Math.tan((this.camera.fov * Math.PI) / 360) * letterPixels) / height;
    for (const sprite of this.letters) sprite.scale.set(letter, letter, 1);
  }

  // What was in the picture stays in it: a view that showed all is fitted anew, one that a hand has chosen is
  // seen from farther away where the picture gets narrower.
  private setAspect(aspect: number): void {
    const before = Math.min(1, this.camera.aspect);
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (this.fitted) this.look(this.fitted.box, this.fitted.direction);
    else {
      const away = this.camera.position.clone().sub(this.controls.target);
      this.camera.position.copy(this.controls.target).addScaledVector(away, before / Math.min(1, aspect));
      this.controls.update();
    }
  }

  // Where the processor draws, pictures in motion may be coarser than those at rest.
  setResolution(share: number): void {
    if (this.fine || this.renderer.getPixelRatio() === share) return;
    this.renderer.setPixelRatio(share);
    this.resize();
  }

  // Where the letters of the axes are, in pixels of the picture.
  readLetters(): { letter: string; x: number; y: number }[] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return this.letters.map((sprite) => {
      const place = sprite.getWorldPosition(new Vector3()).project(this.camera);
      return { letter: sprite.name.slice(-1), x: ((place.x + 1) / 2) * width, y: ((1 - place.y) / 2) * height };
    });
  }

  render(): void {
    this.moveGround();
    this.renderer.render(this.scene, this.camera);
  }
}
