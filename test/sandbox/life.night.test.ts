import { expect, test } from 'vitest'
import { patience } from '../helpers/patience.ts'
import { live } from '../helpers/sandbox-life.ts'

test(
  'a sandbox that lives long stays below 512 MiB, and its memory grows no more',
  async () => {
    const memories = await live({ events: 200_000, queries: 20_000, verifies: 2000 })
    console.log(memories.map(({ rss, peak }) => `${Math.round(rss)} (${Math.round(peak)})`).join(', '))
    expect(Math.max(...memories.map(({ peak }) => peak))).toBeLessThan(512)
    // Of the queries, and of the verifies, the second half needs no more than the first.
    for (const from of [1, 11]) {
      const rss = memories.slice(from, from + 10).map((one) => one.rss)
      expect(Math.max(...rss.slice(5)) - Math.max(...rss.slice(0, 5))).toBeLessThan(64)
    }
  },
  patience(3_600_000),
)
