import { expect, test } from 'vitest'
import { seedOf } from '../../helpers/seed.ts'
import { simulate } from './simulate.ts'

test('a fleet on paper has all events once, in map and in seal, whatever the number of tasks', () => {
  const [{ history, plans } = expect.fail()] = simulate([1e8], [7, 400], seedOf('fleet on paper'))
  for (const { tasks, layout } of plans) {
    expect(layout.tasks).toHaveLength(tasks)
    const mapped = layout.tasks.reduce((sum, task) => sum + task.events, 0)
    const sealed = layout.dayEvents.reduce((sum, one) => sum + one, 0)
    expect(mapped).toBeCloseTo(history.events, -2)
    expect(sealed).toBeCloseTo(history.events, -2)
    const objects = Math.max(...layout.tasks.map((task) => task.objects.size))
    expect(objects).toBe(Math.min(tasks, 64))
  }
})
