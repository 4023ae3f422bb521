import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from './files.ts';

const whisperSpec = 'WhisperSpec';

/** Why a folder cannot be imported, and what to do; undefined when nothing is known against it. */
export async function explainFolder(folder: string, names: readonly string[]): Promise<string | undefined> {
  if (names.includes('model.bin')) return explainCtranslate2(folder, names);
  const torch = names.find((name) => /\.(?:safetensors|pt|pth|ckpt)$|^pytorch_model.*\.bin$/.test(name));
  if (torch !== undefined) return explainTorch(folder, torch);
  const ggml = names.find((name) => /^ggml-.*\.bin$|\.gguf$/.test(name));
  if (ggml !== undefined)
    return `${folder} has a model of whisper.cpp (${ggml}), which cannot be used. Import the same model in the format of CTranslate2.`;
  const nemo = names.find((name) => name.endsWith('.nemo'));
  if (nemo !== undefined) return `${folder} has a model of NeMo (${nemo}). Import its export to ONNX for sherpa-onnx.`;
  return undefined;
}

async function explainTorch(folder: string, file: string): Promise<string> {
  const config = (await readJson(join(folder, 'config.json'))) as { model_type?: unknown } | undefined;
  const what = `${folder} has a PyTorch model (${file}), which cannot be used as it is.`;
  if (config?.model_type !== 'whisper') return `${what} Import its export to ONNX.`;
  const command = `ct2-transformers-converter --model ${folder} --output_dir NEW --quantization int8 --copy_files tokenizer.json preprocessor_config.json`;
  return `${what} Convert it: pip install ctranslate2 transformers torch; ${command}. Then import NEW.`;
}

/** Undefined when the folder has a complete Whisper model. */
async function explainCtranslate2(folder: string, names: readonly string[]): Promise<string | undefined> {
  const kind = await readSpecification(join(folder, 'model.bin'));
  if (kind === undefined) return `${folder} has a model.bin that is not a model of CTranslate2.`;
  if (kind !== whisperSpec)
    return `${folder} has a CTranslate2 model of the kind ${kind}; only Whisper models can be used.`;
  const missing = ['config.json', 'tokenizer.json'].filter((name) => !names.includes(name));
  if (!names.some((name) => /^vocabulary\.(?:txt|json)$/.test(name))) missing.push('vocabulary.txt or vocabulary.json');
  if (missing.length === 0) return undefined;
  return `${folder} has a CTranslate2 model of Whisper, but not its ${missing.join(', ')}. Copy what is missing from where the model was published.`;
}

/** The name in the header of a CTranslate2 model: a version, the length of the name, the name with a zero. */
async function readSpecification(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(106), 0, 106, 0);
    if (bytesRead < 7) return undefined;
    const name = buffer.toString('latin1', 6, Math.min(bytesRead, 6 + buffer.readUInt16LE(4) - 1));
    return /^\w{1,100}Spec$/.test(name) ? name : undefined;
  } finally {
    await file.close();
  }
}
