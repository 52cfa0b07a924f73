import { expect, test } from 'vitest'
import { vendorNames } from '../../../src/jobs/compare/vendor-names.ts'
import type { EventsManifest } from '../../../src/store/manifest.ts'

const manifest = {
  names: { signed_up: 5, View: 9 },
  members: {
    'properties.Plan': { 'renamed: plan': 9 },
    'properties.price': { kept: 9, 'left out: empty': 2 },
    'properties.a': { 'renamed: both': 1 },
    'properties.b': { 'renamed: both': 1 },
    'properties.token': { 'left out: preset': 9 },
  },
} as unknown as EventsManifest

test('properties are called as the manifest says that they were', () => {
  const names = vendorNames([manifest], undefined, new Map())
  expect(['plan', 'price', 'both', 'none'].map(names.property)).toEqual([
    'Plan',
    'price',
    undefined,
    undefined,
  ])
  expect(names.finalProperty('Plan')).toBe('plan')
})

test('events are called as their records are, those that became none among all', () => {
  const pairs = [
    { vendor: 'View', final: 'View', events: 9 },
    { vendor: 'Heartbeat', final: null, events: 20 },
    { vendor: 'Sign Up', final: 'signed_up', events: 2 },
    { vendor: 'Signed Up', final: 'signed_up', events: 3 },
  ]
  const names = vendorNames([manifest], pairs, new Map())
  expect(names.events('signed_up')).toEqual(['Signed Up', 'Sign Up'])
  expect(names.events('$identify')).toEqual([])
  expect(names.events(null)).toEqual(['Heartbeat', 'View', 'Signed Up', 'Sign Up'])
  expect(names.finalEvent('Sign Up')).toBe('signed_up')
})

test('without records events are called as the mapping file says', () => {
  const names = vendorNames([manifest], undefined, new Map([['Signed Up', 'signed_up']]))
  expect(names.events('View')).toEqual(['View'])
  expect(names.events('signed_up')).toEqual(['signed_up', 'Signed Up'])
  expect(names.events('Signed Up')).toEqual([])
})
