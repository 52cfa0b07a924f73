import type { FieldPacket } from 'mysql2'
import { isJson } from '../../record/index.ts'
import type { ReadCall, TableColumn, TimeKind } from '../sql/database.ts'
import { bytesCell, jsonCell, numberCell } from '../sql/sql-cells.ts'

interface Type {
  readonly name: string
  /** Bytes where the character set is binary; without one, text. */
  readonly time?: TimeKind
  readonly cell?: 'integer' | 'number' | 'float' | 'instant' | 'bytes' | 'json'
}

/** The types of the protocol by their numbers. */
const TYPES: Readonly<Record<number, Type>> = {
  0: { name: 'decimal', cell: 'number' },
  1: { name: 'tinyint', cell: 'integer' },
  2: { name: 'smallint', cell: 'integer' },
  3: { name: 'int', cell: 'integer' },
  4: { name: 'float', cell: 'float' },
  5: { name: 'double', cell: 'number' },
  7: { name: 'timestamp', cell: 'instant', time: 'instant' },
  8: { name: 'bigint', cell: 'integer' },
  9: { name: 'mediumint', cell: 'integer' },
  10: { name: 'date', time: 'date' },
  11: { name: 'time' },
  12: { name: 'datetime', time: 'naive' },
  13: { name: 'year', cell: 'number' },
  16: { name: 'bit', cell: 'bytes' },
  242: { name: 'vector', cell: 'bytes' },
  245: { name: 'json', cell: 'json' },
  246: { name: 'decimal', cell: 'number' },
  255: { name: 'geometry', cell: 'bytes' },
}
const TEXT: Type = { name: 'text' }
const BYTES: Type = { name: 'binary', cell: 'bytes' }

const NOT_NULL = 1
const ZEROFILL = 64
const BINARY_CHARSET = 63

function typeOf({ columnType, characterSet, extendedFormat }: FieldPacket): Type {
  // MariaDB's JSON is a text with a check.
  if (extendedFormat === 'json') return TYPES[245]!
  return TYPES[columnType!] ?? (characterSet === BINARY_CHARSET ? BYTES : TEXT)
}

export function mysqlColumn(field: FieldPacket): TableColumn {
  const { name: type, time, cell } = typeOf(field)
  return {
    name: field.name,
    type,
    nullable: (flagsOf(field) & NOT_NULL) === 0,
    time,
    timeless: time !== undefined,
    integer: cell === 'integer',
  }
}

/** Whether the server prints fewer digits of a column than it has. */
export function isFloat(field: FieldPacket): boolean {
  return typeOf(field).cell === 'float'
}

/** Makes the JSON of a column's bytes as the server sends them. */
export function mysqlCellWriter(
  field: FieldPacket,
  call: Pick<ReadCall, 'notFinite'>,
): (bytes: Buffer) => string | null {
  const { name, cell } = typeOf(field)
  const text = (bytes: Buffer) => JSON.stringify(bytes.toString('utf8'))
  switch (cell) {
    case 'integer':
    case 'number':
    case 'float':
      // A number with zeros before it is none of JSON. A year always has the flag.
      if ((flagsOf(field) & ZEROFILL) !== 0 && name !== 'year') return text
      return (bytes) => {
        const digits = bytes.toString('latin1')
        return numberCell(cell === 'float' ? shortestFloat(digits) : digits, field.name, call)
      }
    case 'instant':
      return instantCell
    case 'bytes':
      return bytesCell
    case 'json':
      return (bytes) => {
        const json = bytes.toString('utf8')
        // MariaDB's check lets through what is no JSON to others.
        return isJson(json) ? jsonCell(json) : JSON.stringify(json)
      }
    default:
      return text
  }
}

/** The session's zone is UTC. Zero dates are no points in time, and stay as they are. */
function instantCell(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  return text.startsWith('0000') ? `"${text}"` : `"${text.replace(' ', 'T')}Z"`
}

/** The shortest text that reads back as the same float of 32 bits; `digits` has all of a double. */
function shortestFloat(digits: string): string {
  const value = Number(digits)
  // It may be -0.
  if (value === 0) return digits
  for (let precision = 1; precision < 10; precision++) {
    const short = Number(value.toPrecision(precision))
    if (Math.fround(short) === value) return String(short)
  }
  return digits
}

function flagsOf({ flags }: FieldPacket): number {
  return typeof flags === 'number' ? flags : 0
}
