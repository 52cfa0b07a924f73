// Scans and parses the lines of a file in turn, many times. Prints the seconds of each pass.
import { readFileSync } from 'node:fs'
import { LineFramer } from '../../../src/record/lines.ts'
import { Scanner } from '../../../src/record/scan.ts'
import { Tape } from '../../../src/record/tape.ts'

const [path, rounds] = process.argv.slice(2) as [string, string]
const bytes = readFileSync(path)
const spans: Array<readonly [number, number]> = []
const framer = new LineFramer({
  line: (_, start, end) => void spans.push([start, end]),
  tooLong: () => undefined,
})
framer.push(bytes)
framer.end()
const texts = spans.map(([start, end]) => bytes.toString('utf8', start, end))
const scanner = new Scanner(new Tape())

const sides = {
  scan: () => {
    for (const [start, end] of spans) if (!scanner.scan(bytes, start, end)) throw new Error('no record')
  },
  parseBytes: () => {
    for (const [start, end] of spans) JSON.parse(bytes.toString('utf8', start, end))
  },
  parseText: () => {
    for (const text of texts) JSON.parse(text)
  },
}

const seconds: Record<string, number[]> = { scan: [], parseBytes: [], parseText: [] }
for (let round = -3; round < Number(rounds); round++) {
  for (const [name, side] of Object.entries(sides)) {
    const started = process.cpuUsage()
    side()
    const { user, system } = process.cpuUsage(started)
    if (round >= 0) seconds[name]!.push((user + system) / 1e6)
  }
}
console.log(JSON.stringify({ lines: spans.length, seconds }))
