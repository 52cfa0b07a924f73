// node test/bench/dist/test/bench/generate/main.js mixpanel|amplitude|csv usual|varied|wild <count> <file>: writes a history.
import { type Vendor, writeHistory } from './history.ts'
import type { Variety } from './shape.ts'

const [vendor, variety, count, path] = process.argv.slice(2) as [Vendor | 'csv', Variety, string, string]
await writeHistory(path, { vendor, variety, count: Number(count) }, 20_240_301)
