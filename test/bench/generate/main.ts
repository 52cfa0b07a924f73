// node test/bench/dist/test/bench/generate/main.js <history> <count> <file>: writes a history, such as 'mixpanel varied'.
import { HISTORIES, writeHistory } from './history.ts'

const [wanted, count, path] = process.argv.slice(2)
const name = HISTORIES.find((one) => one === wanted)
if (!name || !path) throw new Error(`<history> <count> <file>; histories: ${HISTORIES.join(', ')}`)
await writeHistory(path, name, Number(count), 20_240_301)
