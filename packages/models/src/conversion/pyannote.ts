import type { Tensor } from './checkpoint.ts';
import { GraphBuilder } from './graph.ts';

const sampleRate = 16_000;
const lowestHz = 50;
const filterStride = 10;
const filterLength = 251;
const epsilon = 1e-5;

/**
 * pyannote segmentation 3.0 as ONNX, as sherpa-onnx expects it: sound to the logarithmic probability of every set of at most two
 * of three speakers.
 */
export function convertPyannote(tensors: ReadonlyMap<string, Tensor>): Buffer {
  const graph = new GraphBuilder();
  const tensor = tensorsOf(tensors);
  const constant = (name: string): string => graph.floats(tensor(name));
  const normalise = (x: string, name: string): string =>
    graph.node('InstanceNormalization', [x, constant(`${name}.weight`), constant(`${name}.bias`)], {
      epsilon: { float: epsilon },
    });
  const leaky = (x: string): string => graph.node('LeakyRelu', [x], { alpha: { float: 0.01 } });
  const linear = (x: string, name: string): string =>
    graph.node('Add', [
      graph.node('MatMul', [x, graph.floats(transpose(tensor(`${name}.weight`)))]),
      constant(`${name}.bias`),
    ]);

  let x = normalise('x', 'sincnet.wav_norm1d');
  for (const layer of [0, 1, 2]) {
    if (layer === 0) {
      const filters = graph.floats(sincFilters(tensor));
      const filtered = graph.node('Conv', [x, filters], { strides: [filterStride], kernel_shape: [filterLength] });
      x = graph.node('Abs', [filtered]);
    } else {
      const name = `sincnet.conv1d.${layer}`;
      x = graph.node('Conv', [x, constant(`${name}.weight`), constant(`${name}.bias`)], { kernel_shape: [5] });
    }
    x = leaky(normalise(graph.node('MaxPool', [x], { kernel_shape: [3], strides: [3] }), `sincnet.norm1d.${layer}`));
  }
  // The operator LSTM takes frames, batch, features.
  x = graph.node('Transpose', [x], { perm: [2, 0, 1] });
  for (let layer = 0; tensors.has(`lstm.weight_ih_l${layer}`); layer += 1) {
    const [weights, recurrence, bias] = lstmWeights(tensor, layer);
    const hidden = recurrence.shape[2]!;
    const inputs = [x, graph.floats(weights), graph.floats(recurrence), graph.floats(bias)];
    const directions = graph.node('LSTM', inputs, { direction: 'bidirectional', hidden_size: hidden });
    const together = graph.node('Transpose', [directions], { perm: [0, 2, 1, 3] });
    x = graph.node('Reshape', [together, graph.ints(0, 0, 2 * hidden)]);
  }
  x = graph.node('Transpose', [x], { perm: [1, 0, 2] });
  for (const layer of [0, 1]) x = leaky(linear(x, `linear.${layer}`));
  graph.node('LogSoftmax', [linear(x, 'classifier')], { axis: -1 }, 'y');
  return graph.build([{ name: 'x', dims: ['N', 1, 'T'] }], [{ name: 'y', dims: ['N', 'frames', 7] }], {
    model_type: 'pyannote-segmentation-3.0',
    version: 1,
    num_speakers: 3,
    powerset_max_classes: 2,
    num_classes: 7,
    sample_rate: sampleRate,
    window_size: 10 * sampleRate,
    receptive_field_size: 991,
    receptive_field_shift: 270,
    license: 'MIT, Copyright (c) 2022 CNRS',
  });
}

type TensorOf = (name: string) => Tensor;

function tensorsOf(tensors: ReadonlyMap<string, Tensor>): TensorOf {
  return (name) => {
    const found = tensors.get(name);
    if (!found) throw new Error(`the checkpoint has no ${name}`);
    return found;
  };
}

function transpose({ shape: [rows = 0, columns = 0], values }: Tensor): Tensor {
  const swapped = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) swapped[column * rows + row] = values[row * columns + column]!;
  return { shape: [columns, rows], values: swapped };
}

/** Ravanelli and Bengio, "Speaker recognition from raw waveform with SincNet": band filters, even ones and odd ones. */
function sincFilters(tensor: TensorOf): Tensor {
  const prefix = 'sincnet.conv1d.0.filterbank.';
  const [low, band, half, window] = ['low_hz_', 'band_hz_', 'n_', 'window_'].map(
    (name) => tensor(prefix + name).values,
  );
  const count = low!.length;
  const side = half!.length;
  const values = new Float32Array(2 * count * filterLength);
  for (let filter = 0; filter < count; filter += 1) {
    const from = lowestHz + Math.abs(low![filter]!);
    const to = Math.min(Math.max(from + lowestHz + Math.abs(band![filter]!), lowestHz), sampleRate / 2);
    const width = to - from;
    const even = filter * filterLength;
    const odd = (count + filter) * filterLength;
    values[even + side] = 1;
    for (let i = 0; i < side; i += 1) {
      const time = half![i]!;
      const scale = window![i]! / (time / 2) / (2 * width);
      const cosine = (Math.sin(to * time) - Math.sin(from * time)) * scale;
      const sine = (Math.cos(from * time) - Math.cos(to * time)) * scale;
      values[even + i] = cosine;
      values[even + filterLength - 1 - i] = cosine;
      values[odd + i] = sine;
      values[odd + filterLength - 1 - i] = -sine;
    }
  }
  return { shape: [2 * count, 1, filterLength], values };
}

/** Both directions of a layer. PyTorch orders the gates input, forget, cell, output; ONNX input, output, forget, cell. */
function lstmWeights(tensor: TensorOf, layer: number): readonly [Tensor, Tensor, Tensor] {
  const directions = [`_l${layer}`, `_l${layer}_reverse`];
  const of = (part: string): Tensor[] =>
    directions.map((direction) => reorderGates(tensor(`lstm.${part}${direction}`)));
  const [inputs, hidden, inputBias, hiddenBias] = ['weight_ih', 'weight_hh', 'bias_ih', 'bias_hh'].map(of);
  const biases = inputBias!.map((bias, i) => joined([bias.values, hiddenBias![i]!.values]));
  return [stacked(inputs!), stacked(hidden!), { shape: [2, biases[0]!.length], values: joined(biases) }];
}

function reorderGates({ shape, values }: Tensor): Tensor {
  const gate = values.length / 4;
  return { shape, values: joined([0, 3, 1, 2].map((i) => values.subarray(i * gate, (i + 1) * gate))) };
}

function stacked(tensors: readonly Tensor[]): Tensor {
  return { shape: [tensors.length, ...tensors[0]!.shape], values: joined(tensors.map(({ values }) => values)) };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const values = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return values;
}
