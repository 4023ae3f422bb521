import type { Tensor } from './checkpoint.ts';
import { GraphBuilder } from './graph.ts';

/** Width of an attention head of MiniLM. */
const headSize = 32;
/** The norm's constant in the published configuration. */
const epsilon = 1e-12;
const largestLevel = 127;
type ModelSource = { license: string; url: string };
const miniLm = { license: 'Apache-2.0', url: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2' };

/**
 * A BERT encoder with heads of 32 (MiniLM) as ONNX: token ids to one vector per token. The file holds weights of eight bits
 * with a scale per output; the runtime computes with floats. Devlin et al., "BERT: Pre-training of Deep Bidirectional
 * Transformers for Language Understanding".
 */
export function convertMiniLm(tensors: ReadonlyMap<string, Tensor>, source: ModelSource = miniLm): Buffer {
  const network = createNetwork(tensors);
  const { graph } = network;
  const mask = network.attentionMask('attention_mask');
  let x = network.embeddings('input_ids', 'token_type_ids');
  for (let layer = 0; tensors.has(`encoder.layer.${layer}.output.dense.weight`); layer += 1)
    x = network.layer(x, mask, `encoder.layer.${layer}`);
  graph.node('Identity', [x], {}, 'last_hidden_state');
  const ids = (name: string) => ({ name, dims: ['batch', 'tokens'], type: 'int64' as const });
  return graph.build(
    [ids('input_ids'), ids('attention_mask'), ids('token_type_ids')],
    [{ name: 'last_hidden_state', dims: ['batch', 'tokens', network.width] }],
    source,
  );
}

function createNetwork(tensors: ReadonlyMap<string, Tensor>) {
  const graph = new GraphBuilder();
  const tensor = (name: string): Tensor => {
    const found = tensors.get(name);
    if (!found) throw new Error(`the checkpoint has no ${name}`);
    return found;
  };
  const constant = (name: string): string => graph.floats(tensor(name));
  const width = tensor('embeddings.LayerNorm.weight').values.length;
  const heads = width / headSize;
  const add = (x: string, y: string): string => graph.node('Add', [x, y]);
  const multiply = (x: string, y: string): string => graph.node('Mul', [x, y]);

  const norm = (x: string, name: string): string =>
    graph.node('LayerNormalization', [x, constant(`${name}.weight`), constant(`${name}.bias`)], {
      axis: -1,
      epsilon: { float: epsilon },
    });
  const dense = (x: string, name: string): string => {
    const { scales, levels } = quantiseRows(tensor(`${name}.weight`));
    const weights = multiply(graph.node('Cast', [graph.int8s(levels)], { to: 1 }), graph.floats(scales));
    return add(
      graph.node('MatMul', [x, graph.node('Transpose', [weights], { perm: [1, 0] })]),
      constant(`${name}.bias`),
    );
  };
  const gelu = (x: string): string => {
    const error = graph.node('Erf', [graph.node('Div', [x, graph.scalar(Math.SQRT2)])]);
    return multiply(multiply(x, graph.scalar(0.5)), add(error, graph.scalar(1)));
  };

  const wordVectors = (ids: string): string => {
    const { scales, levels } = quantiseRows(tensor('embeddings.word_embeddings.weight'));
    const chosen = graph.node('Cast', [graph.node('Gather', [graph.int8s(levels), ids])], { to: 1 });
    return multiply(chosen, graph.node('Gather', [graph.floats(scales), ids]));
  };
  const embeddings = (ids: string, types: string): string => {
    const length = graph.node('Slice', [graph.node('Shape', [ids]), graph.ints(1), graph.ints(2), graph.ints(0)]);
    const position = 'embeddings.position_embeddings.weight';
    const positions = graph.node('Slice', [constant(position), graph.ints(0), length, graph.ints(0)]);
    const ofTypes = graph.node('Gather', [constant('embeddings.token_type_embeddings.weight'), types]);
    return norm(add(add(wordVectors(ids), ofTypes), positions), 'embeddings.LayerNorm');
  };

  /** 0 for a token, a large negative number for padding. */
  const attentionMask = (mask: string): string => {
    const present = graph.node('Cast', [graph.node('Unsqueeze', [mask, graph.ints(1, 2)])], { to: 1 });
    return multiply(graph.node('Sub', [graph.scalar(1), present]), graph.scalar(-1e9));
  };
  const split = (x: string, perm: number[]): string =>
    graph.node('Transpose', [graph.node('Reshape', [x, graph.ints(0, 0, heads, headSize)])], { perm });
  const attention = (x: string, mask: string, name: string): string => {
    const [query, key, value] = ['query', 'key', 'value'].map((part) => dense(x, `${name}.${part}`)) as [
      string,
      string,
      string,
    ];
    const products = graph.node('MatMul', [split(query, [0, 2, 1, 3]), split(key, [0, 2, 3, 1])]);
    const scores = add(graph.node('Div', [products, graph.scalar(Math.sqrt(headSize))]), mask);
    const weights = graph.node('Softmax', [scores], { axis: -1 });
    const mixed = graph.node('MatMul', [weights, split(value, [0, 2, 1, 3])]);
    return graph.node('Reshape', [graph.node('Transpose', [mixed], { perm: [0, 2, 1, 3] }), graph.ints(0, 0, width)]);
  };
  const layer = (x: string, mask: string, name: string): string => {
    const attended = dense(attention(x, mask, `${name}.attention.self`), `${name}.attention.output.dense`);
    const hidden = norm(add(attended, x), `${name}.attention.output.LayerNorm`);
    const wide = gelu(dense(hidden, `${name}.intermediate.dense`));
    return norm(add(dense(wide, `${name}.output.dense`), hidden), `${name}.output.LayerNorm`);
  };
  return { graph, width, attentionMask, embeddings, layer };
}

type Levels = { readonly shape: readonly number[]; readonly values: Int8Array };

/** Each row of a matrix as whole numbers of eight bits, times the scale of the row. */
function quantiseRows({ shape, values }: Tensor): { scales: Tensor; levels: Levels } {
  const [count, length] = shape as [number, number];
  const scales = new Float32Array(count);
  const levels = new Int8Array(values.length);
  for (let row = 0; row < count; row += 1) {
    const part = values.subarray(row * length, (row + 1) * length);
    const scale = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largestLevel || 1;
    scales[row] = scale;
    for (const [column, value] of part.entries()) levels[row * length + column] = Math.round(value / scale);
  }
  return { scales: { shape: [count, 1], values: scales }, levels: { shape, values: levels } };
}
