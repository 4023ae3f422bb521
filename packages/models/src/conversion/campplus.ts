import type { Tensor } from './checkpoint.ts';
import { GraphBuilder, type Attributes } from './graph.ts';

const epsilon = 1e-5;
/** Layers and dilation of the densely connected blocks. */
const blocks = [
  { layers: 12, dilation: 1 },
  { layers: 24, dilation: 2 },
  { layers: 16, dilation: 2 },
];
/** Frames of a segment of the context mask. */
const segmentFrames = 100;
const features = 80;

/**
 * CAM++ of 3D-Speaker as ONNX, as sherpa-onnx expects it: frames of 80 filter bank energies to one speaker embedding.
 * Wang et al., "CAM++: A fast and efficient network for speaker verification using context-aware masking".
 */
export function convertCampplus(tensors: ReadonlyMap<string, Tensor>): Buffer {
  const network = createNetwork(tensors);
  const { graph } = network;
  const channelsFirst = graph.node('Transpose', ['x'], { perm: [0, 2, 1] });
  const image = graph.node('Unsqueeze', [channelsFirst, graph.ints(1)]);
  let x = network.head(image);
  x = network.batchNorm(
    network.conv(x, 'xvector.tdnn.linear', { strides: [2], pads: [2, 2] }),
    'xvector.tdnn.nonlinear.batchnorm',
  );
  for (const [i, { layers, dilation }] of blocks.entries()) {
    for (let layer = 1; layer <= layers; layer += 1) {
      const added = network.denseLayer(x, `xvector.block${i + 1}.tdnnd${layer}`, dilation);
      x = graph.node('Concat', [x, added], { axis: 1 });
    }
    const transit = `xvector.transit${i + 1}`;
    x = network.conv(network.batchNorm(x, `${transit}.nonlinear.batchnorm`), `${transit}.linear`);
  }
  x = network.statistics(network.batchNorm(x, 'xvector.out_nonlinear.batchnorm'));
  const dense = network.conv(x, 'xvector.dense.linear');
  const embedding = network.batchNorm(dense, 'xvector.dense.nonlinear.batchnorm', { relu: false });
  graph.node('Squeeze', [embedding, graph.ints(2)], {}, 'embedding');
  const size = network.tensor('xvector.dense.linear.weight').shape[0]!;
  return graph.build([{ name: 'x', dims: ['N', 'T', features] }], [{ name: 'embedding', dims: ['N', size] }], {
    framework: '3d-speaker',
    language: 'Chinese-English',
    url: 'https://www.modelscope.cn/models/iic/speech_campplus_sv_zh_en_16k-common_advanced',
    sample_rate: 16_000,
    output_dim: size,
    normalize_samples: 1,
    feature_normalize_type: 'global-mean',
    license: 'Apache-2.0',
  });
}

function createNetwork(tensors: ReadonlyMap<string, Tensor>) {
  const graph = new GraphBuilder();
  const tensor = (name: string): Tensor => {
    const found = tensors.get(name);
    if (!found) throw new Error(`the checkpoint has no ${name}`);
    return found;
  };
  const constant = (name: string): string => graph.floats(tensor(name));
  const relu = (x: string): string => graph.node('Relu', [x]);

  const conv = (x: string, name: string, attributes: Attributes = {}): string => {
    const bias = tensors.has(`${name}.bias`) ? [constant(`${name}.bias`)] : [];
    return graph.node('Conv', [x, constant(`${name}.weight`), ...bias], attributes);
  };
  /** A layer that was trained without scale and shift has one and zero. */
  const batchNorm = (x: string, name: string, { relu: active = true } = {}): string => {
    const size = tensor(`${name}.running_mean`).values.length;
    const filled = (part: string, value: number): Tensor =>
      tensors.get(`${name}.${part}`) ?? { shape: [size], values: new Float32Array(size).fill(value) };
    const inputs = [
      filled('weight', 1),
      filled('bias', 0),
      tensor(`${name}.running_mean`),
      tensor(`${name}.running_var`),
    ];
    const y = graph.node('BatchNormalization', [x, ...inputs.map((part) => graph.floats(part))], {
      epsilon: { float: epsilon },
    });
    return active ? relu(y) : y;
  };

  /** A convolution over features and frames that keeps the frames. */
  const conv2d = (x: string, name: string, stride: number, pad = 1): string =>
    conv(x, name, { strides: [stride, 1], pads: [pad, pad, pad, pad] });
  const residual = (x: string, name: string, stride: number): string => {
    const first = batchNorm(conv2d(x, `${name}.conv1`, stride), `${name}.bn1`);
    const second = batchNorm(conv2d(first, `${name}.conv2`, 1), `${name}.bn2`, { relu: false });
    const shortcut = tensors.has(`${name}.shortcut.0.weight`)
      ? batchNorm(conv2d(x, `${name}.shortcut.0`, stride, 0), `${name}.shortcut.1`, { relu: false })
      : x;
    return relu(graph.node('Add', [second, shortcut]));
  };
  const head = (image: string): string => {
    let x = batchNorm(conv2d(image, 'head.conv1', 1), 'head.bn1');
    for (const layer of ['head.layer1', 'head.layer2']) x = residual(residual(x, `${layer}.0`, 2), `${layer}.1`, 1);
    x = batchNorm(conv2d(x, 'head.conv2', 2), 'head.bn2');
    const channels = tensor('head.conv2.weight').shape[0]! * (features / 8);
    return graph.node('Reshape', [x, graph.ints(0, channels, -1)]);
  };

  const frameCount = (x: string): string => {
    const [from, to, axis] = [graph.ints(2), graph.ints(3), graph.ints(0)];
    return graph.node('Slice', [graph.node('Shape', [x]), from, to, axis]);
  };
  /** The mean of every segment, repeated for each of its frames. */
  const segmentMeans = (x: string, channels: number): string => {
    const means = graph.node('AveragePool', [x], {
      kernel_shape: [segmentFrames],
      strides: [segmentFrames],
      ceil_mode: 1,
      count_include_pad: 0,
    });
    const column = graph.node('Unsqueeze', [means, graph.ints(3)]);
    const repeated = graph.node('Expand', [column, graph.ints(1, 1, 1, segmentFrames)]);
    const flat = graph.node('Reshape', [repeated, graph.ints(0, channels, -1)]);
    return graph.node('Slice', [flat, graph.ints(0), frameCount(x), graph.ints(2)]);
  };
  const mean = (x: string): string => graph.node('ReduceMean', [x], { axes: [2], keepdims: 1 });
  const denseLayer = (x: string, name: string, dilation: number): string => {
    const bottleneck = conv(batchNorm(x, `${name}.nonlinear1.batchnorm`), `${name}.linear1`);
    const hidden = batchNorm(bottleneck, `${name}.nonlinear2.batchnorm`);
    const cam = `${name}.cam_layer`;
    const local = conv(hidden, `${cam}.linear_local`, { pads: [dilation, dilation], dilations: [dilation] });
    const channels = tensor(`${cam}.linear1.weight`).shape[1]!;
    const context = graph.node('Add', [mean(hidden), segmentMeans(hidden, channels)]);
    const mask = graph.node('Sigmoid', [conv(relu(conv(context, `${cam}.linear1`)), `${cam}.linear2`)]);
    return graph.node('Mul', [local, mask]);
  };
  /** Mean and standard deviation (of a sample) over the frames. */
  const statistics = (x: string): string => {
    const average = mean(x);
    const deviation = graph.node('Sub', [x, average]);
    const squares = graph.node('ReduceSum', [graph.node('Mul', [deviation, deviation]), graph.ints(2)], {
      keepdims: 1,
    });
    const frames = graph.node('Cast', [frameCount(x)], { to: 1 });
    const one = graph.scalar(1);
    const degrees = graph.node('Max', [graph.node('Sub', [frames, one]), one]);
    const spread = graph.node('Sqrt', [graph.node('Div', [squares, degrees])]);
    return graph.node('Concat', [average, spread], { axis: 1 });
  };
  return { graph, tensor, conv, batchNorm, head, denseLayer, statistics };
}
