import { crc32 } from 'node:zlib';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A zip archive with uncompressed files. `stated`: another size than the content has. */
export function zipOf(files: Readonly<Record<string, Buffer>>, stated: Readonly<Record<string, number>> = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const path = Buffer.from(name);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(content.length, 14);
    header.writeUInt32LE(stated[name] ?? content.length, 18);
    header.writeUInt16LE(path.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), header, path, content);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, entry, path);
    at += 30 + path.length + content.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

/**
 * A program that answers like `python -m pip download`: it copies the wheel of the package out of `wheels`, or fails as pip does
 * without one. It writes what it was asked into `asked`.
 */
export async function writePip(folder: string, wheels: Readonly<Record<string, Buffer>>): Promise<string> {
  await mkdir(join(folder, 'wheels'), { recursive: true });
  for (const [name, content] of Object.entries(wheels)) await writeFile(join(folder, 'wheels', name), content);
  const python = join(folder, 'python3');
  const script = `#!/bin/sh
for argument; do
  case "$argument" in --dest=*) dest=\${argument#--dest=} ;; *==*) package=\${argument%%==*} ;; esac
done
echo "$@" >> '${folder}/asked'
[ -f "${folder}/wheels/$package" ] || { echo "ERROR: No matching distribution found for $package" >&2; exit 1; }
cp "${folder}/wheels/$package" "$dest/$package-1.0-py3-none-any.whl"
`;
  await writeFile(python, script);
  await chmod(python, 0o755);
  return python;
}
