/** A named class or function of a pickle. It is never imported or called. */
export type Global = { readonly global: string };
/** The persistent id of an object that is stored outside of the pickle. */
export type PersistentId = { readonly persistent: PickleValue };
/** What a pickle would construct by a call: the callee and its arguments. */
export type Construction = { readonly callee: PickleValue; readonly args: PickleValue };
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PickleValue[]
  | Map<PickleValue, PickleValue>
  | Global
  | PersistentId
  | Construction;

const mark = Symbol('mark');
const longestLong = 16;

/**
 * Reads the data of a pickle (protocols 2 to 4) as values. Calls that it describes are returned, not made, except for an
 * ordered dictionary; the state that an object would be given is dropped.
 */
export function readPickle(bytes: Buffer): PickleValue {
  const stack: (PickleValue | typeof mark)[] = [];
  const memo = new Map<number, PickleValue>();
  let at = 0;

  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the pickle ends in the middle of a value');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const line = (): string => {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) throw new Error('the pickle ends in the middle of a line');
    const text = bytes.toString('utf8', at, end);
    at = end + 1;
    return text;
  };
  const pop = (): PickleValue => {
    const value = stack.pop();
    if (value === undefined || value === mark) throw new Error('the pickle uses a value that is not on its stack');
    return value;
  };
  const top = (): PickleValue => {
    const value = stack.at(-1);
    if (value === undefined || value === mark) throw new Error('the pickle uses a value that is not on its stack');
    return value;
  };
  const popTwo = (): [PickleValue, PickleValue] => {
    const second = pop();
    return [pop(), second];
  };
  const popThree = (): [PickleValue, PickleValue, PickleValue] => {
    const third = pop();
    return [...popTwo(), third];
  };
  const named = ([module, name]: [PickleValue, PickleValue]): Global => {
    if (typeof module !== 'string' || typeof name !== 'string')
      throw new Error('the pickle has a class without a name');
    return { global: `${module}.${name}` };
  };
  const popToMark = (): PickleValue[] => {
    const begin = stack.lastIndexOf(mark);
    if (begin < 0) throw new Error('the pickle has no mark on its stack');
    const values = stack.splice(begin).slice(1);
    return values as PickleValue[];
  };
  const setItems = (items: PickleValue[]): void => {
    const target = top();
    if (!(target instanceof Map)) return;
    for (let i = 0; i + 1 < items.length; i += 2) target.set(items[i]!, items[i + 1]!);
  };
  const append = (items: PickleValue[]): void => {
    const target = top();
    if (Array.isArray(target)) for (const item of items) target.push(item);
  };
  const recall = (index: number): PickleValue => {
    const value = memo.get(index);
    if (value === undefined) throw new Error('the pickle recalls a value that it did not store');
    return value;
  };
  const long = (length: number): number | bigint => {
    if (length > longestLong) throw new Error('the pickle has a number that is too long');
    const digits = take(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i -= 1) value = (value << 8n) | BigInt(digits[i]!);
    if (length > 0 && digits[length - 1]! >= 0x80) value -= 1n << BigInt(8 * length);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  };

  const operations: Readonly<Record<number, () => void>> = {
    0x80: () => void take(1), // PROTO
    0x95: () => void take(8), // FRAME
    0x28: () => void stack.push(mark), // MARK
    0x30: () => void stack.pop(), // POP
    0x4e: () => void stack.push(null), // NONE
    0x88: () => void stack.push(true), // NEWTRUE
    0x89: () => void stack.push(false), // NEWFALSE
    0x4a: () => void stack.push(take(4).readInt32LE()), // BININT
    0x4b: () => void stack.push(take(1).readUInt8()), // BININT1
    0x4d: () => void stack.push(take(2).readUInt16LE()), // BININT2
    0x8a: () => void stack.push(long(take(1).readUInt8())), // LONG1
    0x47: () => void stack.push(take(8).readDoubleBE()), // BINFLOAT
    0x58: () => void stack.push(take(take(4).readUInt32LE()).toString('utf8')), // BINUNICODE
    0x8c: () => void stack.push(take(take(1).readUInt8()).toString('utf8')), // SHORT_BINUNICODE
    0x54: () => void stack.push(take(take(4).readInt32LE()).toString('latin1')), // BINSTRING
    0x55: () => void stack.push(take(take(1).readUInt8()).toString('latin1')), // SHORT_BINSTRING
    0x42: () => void stack.push(take(take(4).readUInt32LE()).toString('latin1')), // BINBYTES
    0x43: () => void stack.push(take(take(1).readUInt8()).toString('latin1')), // SHORT_BINBYTES
    0x7d: () => void stack.push(new Map()), // EMPTY_DICT
    0x5d: () => void stack.push([]), // EMPTY_LIST
    0x8f: () => void stack.push([]), // EMPTY_SET
    0x29: () => void stack.push([]), // EMPTY_TUPLE
    0x74: () => void stack.push(popToMark()), // TUPLE
    0x85: () => void stack.push([pop()]), // TUPLE1
    0x86: () => void stack.push(popTwo()), // TUPLE2
    0x87: () => void stack.push(popThree()), // TUPLE3
    0x61: () => append([pop()]), // APPEND
    0x65: () => append(popToMark()), // APPENDS
    0x90: () => append(popToMark()), // ADDITEMS
    0x73: () => setItems(popTwo()), // SETITEM
    0x75: () => setItems(popToMark()), // SETITEMS
    0x71: () => void memo.set(take(1).readUInt8(), top()), // BINPUT
    0x72: () => void memo.set(take(4).readUInt32LE(), top()), // LONG_BINPUT
    0x94: () => void memo.set(memo.size, top()), // MEMOIZE
    0x68: () => void stack.push(recall(take(1).readUInt8())), // BINGET
    0x6a: () => void stack.push(recall(take(4).readUInt32LE())), // LONG_BINGET
    0x63: () => void stack.push(named([line(), line()])), // GLOBAL
    0x93: () => void stack.push(named(popTwo())), // STACK_GLOBAL
    0x51: () => void stack.push({ persistent: pop() }), // BINPERSID
    0x52: () => void stack.push(construction(pop(), pop())), // REDUCE
    0x81: () => void stack.push(construction(pop(), pop())), // NEWOBJ
    0x62: () => void pop(), // BUILD
  };
  for (;;) {
    const code = take(1).readUInt8();
    if (code === 0x2e) return pop(); // STOP
    const operation = operations[code];
    if (!operation) throw new Error(`the pickle has the unknown operation 0x${code.toString(16)}`);
    operation();
  }
}

function construction(args: PickleValue, callee: PickleValue): PickleValue {
  return isGlobal(callee, 'collections.OrderedDict') ? new Map() : { callee, args };
}

export function isGlobal(value: PickleValue | undefined, name: string): boolean {
  return typeof value === 'object' && value !== null && 'global' in value && value.global === name;
}
