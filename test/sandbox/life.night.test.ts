import { expect, test } from 'vitest'
import { patience } from '../helpers/patience.ts'
import { live } from '../helpers/sandbox-life.ts'

test(
  'a sandbox that lives long stays below 512 MiB, and its memory grows no more',
  async () => {
    const lived = await live({ events: 200_000, queries: 20_000, verifies: 2000 })
    for (const phase of [lived.queries, lived.verifies]) {
      console.log(phase.map(({ rss, peak }) => `${Math.round(rss)} (${Math.round(peak)})`).join(', '))
      expect(phase).toHaveLength(40)
      expect(phase.at(-1)!.peak).toBeLessThan(512)
      // The second half needs no more than the first.
      const rss = phase.map((one) => one.rss)
      expect(Math.max(...rss.slice(20)) - Math.max(...rss.slice(0, 20))).toBeLessThan(64)
    }
  },
  patience(3_600_000),
)
