// The program that most people would write first: split lines, JSON.parse, rename six keys, JSON.stringify, write.
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

const [from, to] = process.argv.slice(2) as [string, string]

const RENAMES: Readonly<Record<'mixpanel' | 'amplitude', ReadonlyArray<readonly [string, string]>>> = {
  mixpanel: [
    ['$city', '$geoip_city_name'],
    ['$region', '$geoip_subdivision_1_name'],
    ['mp_country_code', '$geoip_country_code'],
    ['current_page_title', 'title'],
    ['current_domain', '$host'],
    ['current_url_path', '$pathname'],
  ],
  amplitude: [
    ['city', '$geoip_city_name'],
    ['region', '$geoip_subdivision_1_name'],
    ['country', '$geoip_country_name'],
    ['ip_address', '$ip'],
    ['language', '$browser_language'],
    ['platform', '$platform'],
  ],
}

interface Line {
  properties?: Record<string, unknown>
}

function renamed(line: string): string {
  const record = JSON.parse(line) as Line & Record<string, unknown>
  const properties = record.properties ?? record
  for (const [name, other] of record.properties ? RENAMES.mixpanel : RENAMES.amplitude) {
    properties[other] = properties[name]
    delete properties[name]
  }
  return JSON.stringify(record)
}

const out = createWriteStream(to, { highWaterMark: 1 << 20 })
let rest = ''
for await (const chunk of createReadStream(from, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()!
  const text = `${lines.map(renamed).join('\n')}\n`
  if (!out.write(text)) await once(out, 'drain')
}
if (rest !== '') out.write(`${renamed(rest)}\n`)
out.end()
await finished(out)
