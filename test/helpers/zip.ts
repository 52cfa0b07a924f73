import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipInput {
  readonly name: string
  readonly data: Buffer
  /** Stored without compression. */
  readonly stored?: boolean
  /** A wrong checksum. */
  readonly badCrc?: boolean
}

/** A zip archive, written by the format's specification. */
export function makeZip(inputs: readonly ZipInput[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data, stored = false, badCrc = false } of inputs) {
    const body = stored ? data : deflateRawSync(data)
    const sum = (crc32(data) ^ (badCrc ? 1 : 0)) >>> 0
    const nameBytes = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(stored ? 0 : 8, 4)
    common.writeUInt32LE(sum, 10)
    common.writeUInt32LE(body.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, nameBytes, body])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, nameBytes]))
    files.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  // As programs write it that know no other count: of more files it keeps 16 bits.
  const end = Buffer.alloc(18)
  end.writeUInt16LE(inputs.length & 0xffff, 4)
  end.writeUInt16LE(inputs.length & 0xffff, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, central, Buffer.from('PK\x05\x06', 'latin1'), end])
}
