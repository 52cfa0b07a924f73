import { PassThrough } from 'node:stream'
import type { LogFormat } from '../../src/telemetry/log.ts'
import { Telemetry } from '../../src/telemetry/telemetry.ts'

/** A telemetry that writes to a stream, and the text that came. `terminal`: the stream is one, of 80 columns. */
export function screen(terminal = false, format: LogFormat = 'auto') {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  Object.assign(
    stream,
    terminal ? { isTTY: true, columns: 80, cursorTo() {}, clearLine() {}, moveCursor() {} } : {},
  )
  const telemetry = new Telemetry(stream, format)
  return { telemetry, text: () => text, lines: () => text.split('\n').filter(Boolean) }
}

/** The lines without their times, and the result without how long it took. */
export function timeless(text: string): string {
  return text
    .replaceAll(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /gm, '')
    .replaceAll(/(in|after) \d[^:(\n]*(?=(?:: [^(\n]*)? \(exit code)/g, '$1 …')
}

/** The lines of a run as they were told: without times and levels, and without the result. */
export function withoutLog(text: string): string {
  const prefix = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [A-Z]+ `
  return text
    .replaceAll(new RegExp(`${prefix}.*\\(exit code \\d+\\)\\n`, 'gm'), '')
    .replaceAll(new RegExp(prefix, 'gm'), '')
}
