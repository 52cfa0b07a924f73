import { describe, expect, test } from 'vitest'
import { firstOf } from './first-of.ts'

const PEOPLE =
  'email,Full Name,plan,seats,created_at\nana@x.example,Ana,pro,3,2021-03-01 10:00:00\nbo@x.example,Bo,free,4,2022-03-01 10:00:00\n'
const SUMS = ['date,visitors,pageviews,bounces\n2024-01-01,10,20,5\n2024-01-02,11,21,5\n'] as const

describe('people', () => {
  const files = 'data crm customers allCustomers leads users_export_2024-03 hubspot-crm-exports-all-contacts'
  test.each(files.split(' '))('set properties by columns: %s', async (name) => {
    const { yaml, missing, trial, asked } = await firstOf({ [`${name}.csv`]: PEOPLE })
    expect(missing).toEqual([])
    expect(trial).toMatchObject({ events: 2 })
    expect(yaml).toMatch(/rename:\n.+: \$set\n/)
    expect(yaml).toContain('  Full Name": "$set.Full Name"'.replace('  F', '  "F'))
    expect(yaml).toContain('seats: { to: $set.seats, type: number }')
    expect(asked).toContain('these rows are people')
  })

  test('without any time leave it open', async () => {
    const { missing, asked } = await firstOf({ 'data.csv': 'email,name\na@x.example,Ana\nb@x.example,Bo\n' })
    expect(missing).toEqual(['timestamp'])
    expect(asked).toContain('these rows are people')
  })

  test.each([
    'email,name,total,ordered_at\na@x.example,Ana,3,2024-03-01 10:00:00\nb@x.example,Bo,4,2024-03-02 10:00:00\n',
    'email,name,total,created_at\na@x.example,Ana,3,2024-03-01 10:00:00\nb@x.example,Bo,4,2024-03-02 10:00:00\n',
    'email,name,event,created_at\na@x.example,Ana,buy,2024-03-01 10:00:00\nb@x.example,Bo,view,2024-03-02 10:00:00\n',
  ])('are not what orders and events are', async (text) => {
    expect((await firstOf({ 'data.csv': text })).asked).not.toContain('these rows are people')
  })
})

describe('sums', () => {
  test.each([
    SUMS[0],
    'date,name,link_url,path,visitors,events\n2024-01-01,Signup,,/,2,3\n2024-01-02,Signup,,/,3,4\n',
    'Event name,Event count,Total users\npage_view,1200,300\nscroll,800,200\n',
    'Event,2024-01-01,2024-01-02,2024-01-03\nSigned up,10,12,9\nBought,3,4,1\n',
    'Page path,Views,Users,Average engagement time\n/,100,60,12.5\n/a,40,20,8.25\n',
  ])('are said to be that: %s', async (text) => {
    const { asked, missing, findings } = await firstOf({ 'report.csv': text })
    expect(asked).toContain('these are sums, no events')
    expect(missing).toEqual(['event', 'distinct_id', 'timestamp'])
    expect(findings.every(({ role }) => role === null)).toBe(true)
  })

  test('are none where a row is of a person', async () => {
    const text =
      'user_id,event,at,visits,pageviews\nu1,buy,2024-03-01T10:00:00Z,3,10\nu2,view,2024-03-01T11:00:00Z,1,2\n'
    const { asked, trial } = await firstOf({ 'data.csv': text })
    expect(asked).not.toContain('these are sums')
    expect(trial).toMatchObject({ events: 2 })
  })
})

describe('several tables', () => {
  const orders =
    'id,customer_id,total,ordered_at\n10,1,20.50,2024-01-01 10:00:00\n11,2,21.50,2024-02-01 10:00:00\n'
  const views =
    'id,visitor,url,viewed_at\n9,1,https://x.example/,2024-01-01 10:00:00\n8,2,https://x.example/a,2024-01-02 10:00:00\n'

  test('of different kinds are named with their columns', async () => {
    const { asked, missing } = await firstOf({
      'customers.csv': PEOPLE,
      'orders.csv': orders,
      'views.csv': views,
    })
    expect(asked).toContain(
      'these are tables of different kinds: customers (email, Full Name, plan, seats, …), orders (id,',
    )
    expect(asked).toMatch(/posthaul init \S+\/customers\.csv,/)
    expect(missing).toEqual(['event', 'distinct_id', 'timestamp'])
  })

  test('of one kind are not, also with some columns of their own', async () => {
    const same = await firstOf({ 'orders_1.csv': orders, 'orders_2.csv': orders.replace('total', 'sum') })
    expect(same.asked).not.toContain('different kinds')
    const kinds = await firstOf({
      'buy.csv': 'user_id,event,timestamp,total\nu1,buy,2024-03-01T10:00:00Z,3\n',
      'view.csv': 'user_id,event,timestamp,page,title,lang\nu1,view,2024-03-01T11:00:00Z,/,a,de\n',
    })
    expect(kinds.asked).not.toContain('different kinds')
  })
})
