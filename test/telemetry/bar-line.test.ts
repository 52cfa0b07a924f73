import { expect, test } from 'vitest'
import { barLine } from '../../src/telemetry/bar-line.ts'

const words = '1,234,567 events, 10,000/s, 2 h 3 min left'

test('a wide terminal has room for all of it', () => {
  expect(barLine({ label: 'import', share: 0.5, words }, 80)).toBe(
    `import ${'█'.repeat(8)}${'░'.repeat(8)} 50% ${words}`,
  )
})

test('a narrow one has what a user looks for: how much, and how long still', () => {
  expect(barLine({ label: 'import', share: 0.5, words }, 68)).toBe(`import ████░░░░ 50% ${words}`)
  expect(barLine({ label: 'import', share: 0.5, words }, 60)).toBe(
    'import ████░░░░ 50% 1,234,567 events, 2 h 3 min left',
  )
  expect(barLine({ label: 'import', share: 0.5, words }, 40)).toBe('import ████░░░░ 50% 2 h 3 min left')
  expect(barLine({ label: 'import', share: 0.5, words }, 30)).toBe('import 50% 2 h 3 min left')
  expect(barLine({ label: 'import', share: 0.5, words }, 12)).toBe('import 50%')
  expect(barLine({ label: 'import', share: 0.5, words }, 8)).toBe('import…')
})

test.each([1, 5, 10, 20, 39, 40, 41, 79, 80, 81])('no line is as long as the %i columns', (columns) => {
  for (const share of [0, 0.001, 0.999, 1]) {
    for (const text of [words, '0 B', '世界 3 events, 1 s left']) {
      expect(barLine({ label: 'transform', share, words: text }, columns).length).toBeLessThanOrEqual(
        Math.max(1, columns - 1),
      )
    }
  }
})
