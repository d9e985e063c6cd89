// Renderer, camera, lights and ground.
import {
  AxesHelper, Box3, Color, DirectionalLight, GridHelper, Group, HemisphereLight, Material, Mesh, MeshLambertMaterial,
  MeshStandardMaterial, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, ShadowMaterial, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

export type ViewDirection = 'home' | 'front' | 'side' | 'top';

export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly fine: boolean; // a real graphics processor: shadows, smooth materials
  readonly ground = new Group();
  private readonly up: Vector3;
  private readonly key = new DirectionalLight('#ffffff', 2.2);
  private readonly sky = new HemisphereLight('#ffffff', '#8b8680', 1.6);
  private grid: GridHelper | null = null;
  private spacing = 1;
  private size = 1;

  constructor(readonly canvas: HTMLCanvasElement, up: Vector3, quality: string | null) {
    this.up = up.clone();
    const probe = document.createElement('canvas').getContext('webgl2');
    const info = probe?.getExtension('WEBGL_debug_renderer_info');
    const name = probe && info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
    probe?.getExtension('WEBGL_lose_context')?.loseContext();
    this.fine = quality === 'high' || (quality !== 'low' && !/swiftshader|llvmpipe|software/i.test(name));
    this.renderer = new WebGLRenderer({ canvas, antialias: this.fine, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(this.fine ? Math.min(2, window.devicePixelRatio) : 1);
    this.renderer.shadowMap.enabled = this.fine;
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
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
      this.key.shadow.mapSize.set(2048, 2048);
      const reach = 0.5 * box.getSize(new Vector3()).length() + 0.2 * size;
      Object.assign(this.key.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 8 * size + 2 * reach });
      this.key.shadow.normalBias = 0.004 * size;
      this.key.shadow.radius = 4;
    }
    this.layGround(size, height);
    const axes = new AxesHelper(0.18 * size);
    axes.setColors(new Color('#d55e00'), new Color('#009e73'), new Color('#0072b2'));
    this.ground.add(axes);
  }

  private layGround(size: number, height: number): void {
    this.spacing = 10 ** Math.round(Math.log10(size / 6));
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    this.grid = new GridHelper(this.spacing * 80, 80);
    this.grid.quaternion.copy(turn);
    (this.grid.material as Material).transparent = true;
    this.grid.userData.height = height;
    this.ground.add(this.grid);
    if (this.fine) {
      const catcher = new Mesh(new PlaneGeometry(80 * this.spacing, 80 * this.spacing), new ShadowMaterial({ opacity: 0.22 }));
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
    const aside = new Vector3(0.45, -0.55, 0);
    if (Math.abs(this.up.y) > 0.9) aside.set(0.45, 0, 0.55);
    this.key.target.position.copy(this.controls.target);
    this.key.position.copy(this.controls.target).addScaledVector(this.up, 3 * this.size).addScaledVector(aside, 4 * this.size);
  }

  material(ghost: boolean, ghostOpacity = 0.35): Material {
    const see = ghost ? { transparent: true, opacity: ghostOpacity, depthWrite: false } : {};
    return this.fine
      ? new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05, ...see })
      : new MeshLambertMaterial(see);
  }

  setTheme(dark: boolean): void {
    this.scene.background = new Color(dark ? '#14181d' : '#f3f5f7');
    if (!this.grid) return;
    const line = new Color(dark ? '#39424d' : '#c3cad2');
    const colors = this.grid.geometry.attributes.color;
    for (let k = 0; k < colors.count; ++k) colors.setXYZ(k, line.r, line.g, line.b);
    colors.needsUpdate = true;
    (this.grid.material as Material).opacity = dark ? 0.8 : 0.9;
  }

  // All of `box` in the picture, seen from a direction.
  look(box: Box3, direction: ViewDirection): void {
    const center = box.getCenter(new Vector3());
    const radius = Math.max(0.5 * box.getSize(new Vector3()).length(), 0.3 * this.size);
    const half = (Math.min(this.camera.fov, this.camera.fov * Math.max(0.2, this.camera.aspect)) * Math.PI) / 360;
    const front = Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
    const side = front.clone().cross(this.up).negate();
    const from = {
      home: front.clone().multiplyScalar(0.82).addScaledVector(side, 0.5).addScaledVector(this.up, 0.34),
      front,
      side,
      top: this.up.clone().addScaledVector(front, 1e-4),
    }[direction].normalize();
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(from, (0.88 * radius) / Math.sin(half));
    this.controls.update();
  }

  // The camera keeps its place relative to a moving target.
  moveTarget(to: Vector3): void {
    const shift = to.clone().sub(this.controls.target);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.controls.update();
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    this.moveGround();
    this.renderer.render(this.scene, this.camera);
  }
}
