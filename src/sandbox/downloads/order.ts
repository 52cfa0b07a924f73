import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { type ApiError, forbidden, invalid } from '../routes/api-error.ts'

type Model = 'events' | 'persons'
export type Format = 'Parquet' | 'JSONLines'
export type Compression = 'zstd' | 'gzip' | 'brotli' | 'lz4' | 'snappy'

/** What a download is to contain. Times are microseconds since the epoch. */
export interface Order {
  readonly model: Model
  readonly format: Format
  readonly compression: Compression | null
  /** Bytes of a file after which the next begins; undefined for one file. */
  readonly fileBytes: number | undefined
  /** The first moment. */
  readonly start: bigint
  /** The moment after the last. */
  readonly end: bigint
  /** Events of these names alone; empty for all. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

const MODELS = ['events', 'persons', 'sessions', 'hogql'] as const
const FORMATS = ['Parquet', 'JSONLines'] as const
const COMPRESSIONS = ['zstd', 'gzip', 'brotli', 'lz4', 'snappy'] as const
const MIB = 1024 * 1024
const DEFAULT_MIB = 1024
const WEEK = 7n * 86_400_000_000n
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,6})\d*)?(Z|[+-]\d{2}:?\d{2})?$/i

/** Reads the body that orders a download. ApiError as the service words it; `now` in ms since the epoch. */
export function readOrder(body: unknown, now: number): Order {
  if (!isJsonObject(body)) throw invalid('Invalid data. Expected a dictionary.')
  const file = readFile(body.file)
  const model = choice(body, 'model', MODELS)
  const include = names(body, 'include')
  const exclude = names(body, 'exclude')
  const [start, end] = [time(body, 'data_interval_start'), time(body, 'data_interval_end')]
  if (model === 'hogql') throw notEnabled()
  for (const field of ['hogql_query', 'hogql_modifiers']) {
    if (body[field] !== undefined) throw invalid(`'${field}' is only supported when 'model' is 'hogql'`)
  }
  if (start === undefined || end === undefined) {
    throw invalid("'data_interval_start' and 'data_interval_end' are required.")
  }
  checkInterval(start, end, BigInt(now) * 1000n)
  if (model === 'sessions') throw invalid('The sandbox leaves out the model sessions.', 'model')
  return { model, ...file, start, end, include, exclude }
}

/** The service's answer to queries as a source: few projects may do that, and this one may not. */
export function notEnabled(): ApiError {
  return forbidden('HogQL batch exports are not enabled for this team.')
}

function checkInterval(start: bigint, end: bigint, now: bigint): void {
  if (start > end) throw invalid("'data_interval_end' must occur after 'data_interval_start'")
  if (end - start > WEEK) throw invalid('data interval range too big. The most is seven days.')
  if (start > now) throw invalid("The provided 'data_interval_start' is in the future")
  if (end > now) throw invalid("The provided 'data_interval_end' is in the future")
}

function readFile(value: unknown): Pick<Order, 'format' | 'compression' | 'fileBytes'> {
  if (value === undefined) throw required('file')
  if (!isJsonObject(value)) throw invalid('Invalid data. Expected a dictionary.', 'file')
  const { format = 'Parquet', compression = null, max_size_mb: size = DEFAULT_MIB } = value
  if (size !== null && !Number.isSafeInteger(size)) {
    throw invalid('A valid integer is required.', 'file__max_size_mb')
  }
  const mib = Number(size)
  if (mib < 0) {
    throw invalid('Ensure this value is greater than or equal to 0.', 'file__max_size_mb', 'min_value')
  }
  return {
    format: choice({ format }, 'format', FORMATS, 'file__format'),
    compression:
      compression === null ? null : choice({ compression }, 'compression', COMPRESSIONS, 'file__compression'),
    fileBytes: mib === 0 ? undefined : mib * MIB,
  }
}

function choice<T extends string>(body: JsonObject, name: string, among: readonly T[], attr = name): T {
  const value = body[name]
  if (value === undefined) throw required(attr)
  const found = among.find((one) => one === value)
  if (found === undefined) throw invalid(`"${value}" is not a valid choice.`, attr, 'invalid_choice')
  return found
}

function names(body: JsonObject, field: string): string[] {
  const value = body[field]
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid('Expected a list of items.', field, 'not_a_list')
  return value.map((name, at) => {
    if (typeof name === 'string') return name
    throw invalid('Not a valid string.', `${field}__${at}`)
  })
}

/** A time in microseconds; one without a zone is UTC. */
function time(body: JsonObject, field: string): bigint | undefined {
  const value = body[field]
  if (value === undefined) return undefined
  if (value === null) throw invalid('This field may not be null.', field, 'null')
  const [whole, day, minute, second = ':00', fraction = '', zone = 'Z'] = TIME.exec(String(value)) ?? []
  const millis = whole === undefined ? Number.NaN : Date.parse(`${day}T${minute}${second}${zone}`)
  if (Number.isNaN(millis)) throw invalid('Datetime has wrong format.', field)
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

function required(attr: string): ApiError {
  return invalid('This field is required.', attr, 'required')
}
