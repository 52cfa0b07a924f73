import { type InputFile, type RecordSink, readRecords } from '../../inputs/index.ts'
import { MIB } from '../../text/index.ts'
import { interruptedError, type Job } from '../../transform/index.ts'

/** The bytes that are read of each measured file, as they are stored. */
const READ_BYTES = 8 * MIB

/** About how much an input holds, by a few of its files. */
export interface MeasuredRecords {
  readonly records: number
  /** Bytes of all records, as lines of JSON. */
  readonly recordBytes: number
}

/**
 * Counts the records at the beginning of a few files: the first, the last, and of each kind the largest, since a byte of
 * a packed file holds many of a plain one. All other files of a kind are taken to be like these. Nothing is mapped.
 */
export async function measureRecords(
  { inputs, columns, withTable }: Pick<Job, 'inputs' | 'columns' | 'withTable'>,
  interrupted: AbortSignal,
): Promise<MeasuredRecords> {
  let [records, recordBytes] = [0, 0]
  for (const kind of new Set(inputs.map(kindOf))) {
    const own = inputs.filter((input) => kindOf(input) === kind)
    const largest = own.reduce((most, input) => (input.size > most.size ? input : most))
    const chosen = new Set([inputs[0]!, largest, inputs.at(-1)!].filter((input) => own.includes(input)))
    const count = new Counter()
    let stored = 0
    for (const input of chosen) {
      const enough = new AbortController()
      let read = 0
      const progress = (bytes: number) => {
        read += bytes
        if (read >= READ_BYTES) enough.abort()
      }
      const stop = AbortSignal.any([enough.signal, interrupted])
      await readRecords(input, count, { columns, withTable, progress, stop })
      if (interrupted.aborted) throw interruptedError()
      stored += Math.min(read, input.size)
    }
    const total = own.reduce((sum, { size }) => sum + size, 0)
    const times = stored === 0 ? 1 : total / stored
    records += count.records * times
    recordBytes += count.bytes * times
  }
  return { records: Math.round(records), recordBytes: Math.round(recordBytes) }
}

function kindOf({ format, compression, member }: InputFile): string {
  return `${format} ${compression} ${member !== undefined}`
}

class Counter implements RecordSink {
  records = 0
  bytes = 0

  line(_: Buffer, start: number, end: number): void {
    this.records++
    this.bytes += end - start
  }

  tooLong(): void {
    this.records++
  }

  reject(): void {
    this.records++
  }

  unusable(): void {}
}
