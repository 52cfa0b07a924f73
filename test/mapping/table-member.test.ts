import { expect, test } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { readsTable } from '../../src/mapping/side-table.ts'
import { engineOf, mapWith } from '../transform/plain.ts'

const named: Partial<Preset> & Pick<Preset, 'fields'> = {
  fields: { $table: '@table', '*': '*' },
  eventName: (record) => record.text('table'),
  distinctId: () => 'u',
}

test('a preset reads the table like any slot, and only who reads it pays for it', () => {
  const { line } = mapWith(engineOf(named), { $table: 'pages', a: 1 })
  expect(JSON.parse(line)).toMatchObject({ event: 'pages', properties: { a: 1 } })
  expect(JSON.parse(line).properties).not.toHaveProperty('$table')
  expect(readsTable(named, NO_MAPPING)).toBe(true)
  expect(readsTable({ fields: { '*': '*' } }, NO_MAPPING)).toBe(false)
})

test('a mapping file can name it', () => {
  expect(readsTable({ fields: {} }, { ...NO_MAPPING, fields: { event: ['action', '$table'] } })).toBe(true)
  expect(readsTable({ fields: {} }, { ...NO_MAPPING, groups: { app: '$table' } })).toBe(true)
})

test('of two members of that name the record has the last word', () => {
  const { line } = mapWith(engineOf(named), '{"$table":"a","$table":"own"}')
  expect(JSON.parse(line).event).toBe('own')
})
