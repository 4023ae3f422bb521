import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOnnxModel } from '../test/onnx.ts';
import { tryFolderLock } from './folder-lock.ts';
import { importModel, verifyModel } from './import.ts';
import { listInstalled } from './installed.ts';
import { removeModel } from './remove.ts';
import { notVerified, verificationFault } from './verification.ts';

let root = '';
let cacheDir = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'verification-'));
  cacheDir = join(root, 'models');
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function copyByHand(): Promise<string> {
  const folder = join(cacheDir, 'vad', 'by-hand');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'silero_vad.onnx'), createOnnxModel(5_000));
  return folder;
}

describe('a model that was copied by hand', () => {
  it('is listed as not verified until an administrator verifies it', async () => {
    await copyByHand();
    expect(await listInstalled(cacheDir)).toMatchObject([{ name: 'by-hand', fault: notVerified, origin: null }]);
    expect(await verifyModel(cacheDir, 'by-hand')).toEqual({ name: 'by-hand', fault: null, recorded: true });
    expect(await listInstalled(cacheDir)).toMatchObject([{ name: 'by-hand', fault: null, origin: 'import' }]);
  });

  it('is refused when a file differs from the hash in its manifest', async () => {
    const folder = await copyByHand();
    const files = { model: { path: 'silero_vad.onnx', sha256: 'a'.repeat(64) } };
    const manifest = { id: 'by-hand', kind: 'vad', family: 'silero-vad', files };
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    expect(await verifyModel(cacheDir, 'by-hand')).toMatchObject({ fault: expect.stringContaining('SHA-256 differs') });
    expect(await verificationFault(folder, ['silero_vad.onnx'])).toBe(notVerified);
  });
});

describe('a verified model', () => {
  it('is refused after a change of the same size, and after an added file that it needs', async () => {
    const folder = await copyByHand();
    await verifyModel(cacheDir, 'by-hand');
    const bytes = await readFile(join(folder, 'silero_vad.onnx'));
    bytes[4_000] = bytes[4_000]! ^ 1;
    await writeFile(join(folder, 'silero_vad.onnx'), bytes);
    expect(await verificationFault(folder, ['silero_vad.onnx'])).toContain('changed after the verification');
    expect(await verificationFault(folder, ['other.onnx'])).toContain('added after the verification');
  });

  it('stays verified when only the times of its files change', async () => {
    const folder = await copyByHand();
    await verifyModel(cacheDir, 'by-hand');
    await utimes(join(folder, 'silero_vad.onnx'), 1, 1);
    expect(await verificationFault(folder, ['silero_vad.onnx'])).toBeNull();
  });

  it('is found changed in full when a change kept size and time', async () => {
    const folder = await copyByHand();
    const file = join(folder, 'silero_vad.onnx');
    await utimes(file, 1_000, 1_000);
    await verifyModel(cacheDir, 'by-hand');
    const bytes = await readFile(file);
    bytes[4_000] = bytes[4_000]! ^ 1;
    await writeFile(file, bytes);
    await utimes(file, 1_000, 1_000);
    expect(await verifyModel(cacheDir, 'by-hand')).toMatchObject({ fault: expect.stringContaining('SHA-256 differs') });
  });
});

describe('an import', () => {
  it('copies a model, records its hashes, and can be removed again', async () => {
    const from = join(root, 'silero');
    await cp(await copyByHand(), from, { recursive: true });
    await removeModel(cacheDir, 'by-hand');
    expect(await importModel({ cacheDir, from })).toEqual({ kind: 'vad', name: 'silero' });
    expect(await listInstalled(cacheDir)).toMatchObject([{ name: 'silero', fault: null, origin: 'import' }]);
    await removeModel(cacheDir, 'silero');
    expect(await listInstalled(cacheDir)).toEqual([]);
    for (const name of ['silero', '..', '../../x'])
      await expect(removeModel(cacheDir, name)).rejects.toMatchObject({ code: 'model_missing' });
  });

  it('refuses a folder that is not a model, and a kind that is not clear', async () => {
    const from = join(root, 'other');
    await mkdir(from);
    await writeFile(join(from, 'model.onnx'), createOnnxModel());
    await expect(importModel({ cacheDir, from })).rejects.toMatchObject({ code: 'model_invalid' });
    expect(await importModel({ cacheDir, from, kind: 'embedding' })).toEqual({ kind: 'embedding', name: 'other' });
  });
});

describe('an import of a model that another program made', () => {
  const header = (kind: string): Buffer => {
    const name = Buffer.from(`${kind}\0`);
    const length = Buffer.alloc(6);
    length.writeUInt32LE(6);
    length.writeUInt16LE(name.length, 4);
    return Buffer.concat([length, name, Buffer.alloc(1_000)]);
  };
  async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const from = join(root, 'model');
    await mkdir(join(from, 'onnx'), { recursive: true });
    for (const [path, content] of Object.entries(files)) await writeFile(join(from, path), content);
    return from;
  }
  const whisper = { 'model.bin': header('WhisperSpec'), 'config.json': '{}', 'tokenizer.json': '{}' };
  const messageOf = async (from: string): Promise<string> =>
    importModel({ cacheDir, from }).then(
      () => 'imported',
      (error: Error) => error.message,
    );

  it('installs a Whisper model of CTranslate2 as faster-whisper', async () => {
    const from = await folderWith({ ...whisper, 'vocabulary.txt': 'a' });
    expect(await importModel({ cacheDir, from })).toEqual({ kind: 'asr', name: 'model' });
    expect(await listInstalled(cacheDir)).toMatchObject([{ family: 'faster-whisper', fault: null, origin: 'import' }]);
  });

  it('names what a Whisper model of CTranslate2 lacks', async () => {
    expect(await messageOf(await folderWith(whisper))).toContain('vocabulary.txt or vocabulary.json');
  });

  it('refuses a CTranslate2 model that is no Whisper', async () => {
    const files = { ...whisper, 'model.bin': header('TransformerSpec'), 'vocabulary.json': '[]' };
    expect(await messageOf(await folderWith(files))).toContain('of the kind TransformerSpec');
  });

  it.each([
    [
      'a PyTorch model of Whisper',
      { 'model.safetensors': 'x', 'config.json': '{"model_type":"whisper"}' },
      'ct2-transformers-converter',
    ],
    [
      'another PyTorch model',
      { 'pytorch_model.bin': 'x', 'config.json': '{}', 'tokenizer.json': '{}' },
      'export to ONNX',
    ],
    ['a model of whisper.cpp', { 'ggml-base.bin': 'x' }, 'whisper.cpp'],
    ['a model of NeMo', { 'parakeet.nemo': 'x' }, 'NeMo'],
  ])('says what %s is, and what to do', async (_, files, text) => {
    expect(await messageOf(await folderWith(files))).toContain(text);
    expect(await listInstalled(cacheDir)).toEqual([]);
  });

  it('takes the 8-bit files with their weights and licences, not those of other precisions', async () => {
    const files = {
      'base-encoder.onnx': 'x',
      'base-encoder.weights': 'x',
      'base-encoder.int8.onnx': 'x',
      'base-encoder.int8.weights': 'x',
      'base-decoder.onnx': 'x',
      'base-decoder.int8.onnx': 'x',
      'base-tokens.txt': 'x',
      'LICENSE.txt': 'x',
      'onnx/model.onnx': 'x',
      'test.wav': 'x',
    };
    await importModel({ cacheDir, from: await folderWith(files) });
    const taken = ['LICENSE.txt', 'base-decoder.int8.onnx', 'base-encoder.int8.onnx', 'base-encoder.int8.weights'];
    expect((await readdir(join(cacheDir, 'asr', 'model'))).filter((name) => name !== 'verified.json')).toEqual([
      ...taken,
      'base-tokens.txt',
    ]);
  });
});

describe('the lock of the folder', () => {
  it('admits one holder', async () => {
    const path = join(root, 'lock');
    const first = await tryFolderLock(path);
    expect(first).toBeDefined();
    expect(await tryFolderLock(path)).toBeUndefined();
    await first?.release();
    const second = await tryFolderLock(path);
    expect(second).toBeDefined();
    await second?.release();
  });

  it('is taken over from a process that ended', async () => {
    const path = join(root, 'lock');
    const held = await tryFolderLock(path);
    const ended = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => ended.once('close', resolve));
    const content = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...content, pid: ended.pid }));
    const taken = await tryFolderLock(path);
    expect(taken).toBeDefined();
    // The former holder notices, and does not delete the lock of the new one.
    await held?.release();
    expect(await tryFolderLock(path)).toBeUndefined();
    await taken?.release();
  });
});
