/** What callers gain and lose between two descriptions of access, as sentences: what no application of YAML alone shows. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { callersOf } from '../../engine/access/callers.ts'
import { compareAccess } from '../../engine/access/compare.ts'
import type { DescribedAccess, DescribedResource } from '../../engine/access/description.ts'
import type { KeptFilter } from '../../engine/access/kept-filter.ts'
import { accessSentences } from '../../engine/access/sentence.ts'
import type { Access, Catalog } from '../../engine/catalog/catalog.ts'
import type { Runner } from '../../engine/database/database.ts'

const test = suite('access compared')

const CATALOG = { accounts: undefined, resources: new Map() } as Pick<Catalog, 'accounts' | 'resources'>
const NOBODY: Runner = { run: () => Promise.reject(new Error('nothing is asked where nobody knows roles')) }
const HOLDERS: Access = { kind: 'permission', permission: 'books.lend' }
const MEMBERS: Access = { kind: 'role', roles: ['member'] }
const NONE: DescribedResource = {
  policies: { view: [], create: [], update: [], delete: [], restore: [] },
  parts: {},
}

function books(view: readonly Access[], scope?: KeptFilter): DescribedAccess {
  const clauses = view.map((one) => ({ access: [one] }))
  return {
    resources: { books: { ...NONE, policies: { ...NONE.policies, view: clauses }, ...(scope && { scope }) } },
    routes: {},
  }
}

async function told(older: DescribedAccess, newer: DescribedAccess): Promise<readonly string[]> {
  const callers = await callersOf(CATALOG as Catalog, NOBODY, new Date(0), [older, newer])
  return accessSentences(compareAccess(older, newer, callers))
}

test('where nobody knows roles, the rules say who there is', async () => {
  assert.equal(await told(books([HOLDERS]), books([MEMBERS])), [
    'books: member may see now',
    'books: who holds books.lend may see no more',
  ])
  assert.equal(await told(books([HOLDERS]), books([{ kind: 'signed_in' }])), ['books: everyone signed in may see now'])
  assert.equal(await told(books([HOLDERS]), books([HOLDERS])), [])
})

test('clauses in another order, or twice, are no change', async () => {
  assert.equal(await told(books([HOLDERS, MEMBERS]), books([MEMBERS, HOLDERS, MEMBERS])), [])
})

test('another scope is another condition on what each may', async () => {
  const scope: KeptFilter = {
    kind: 'compare',
    path: ['lent'],
    operator: 'eq',
    operand: { kind: 'literal', value: true },
  }
  const open: Access = { kind: 'anyone' }
  assert.equal(await told(books([open]), books([open], scope)), [
    'books: everyone without a token may see only some records now, where a condition holds',
  ])
  assert.equal(await told(books([open], scope), books([open], scope)), [])
})

test('routes of plugins are told where both versions have them', async () => {
  const routes = (access: 'public' | readonly Access[]): DescribedAccess => ({
    resources: {},
    routes: { 'POST /books/lend': access, ...(access === 'public' ? { 'GET /new': access } : {}) },
  })
  assert.equal(await told(routes([MEMBERS]), routes('public')), [
    'POST /books/lend: everyone without a token may call it now',
    'POST /books/lend: everyone signed in may call it now',
  ])
  assert.equal(await told(routes('public'), routes([HOLDERS])), [
    'POST /books/lend: everyone without a token may call it no more',
    'POST /books/lend: everyone signed in may call it no more',
  ])
})

test('a view that is lost concerns those who had it, and a new one nobody', async () => {
  const open: Access = { kind: 'signed_in' }
  const viewed = (views: NonNullable<DescribedResource['views']>): DescribedAccess => {
    const { resources, routes } = books([open, MEMBERS])
    return { resources: { books: { ...resources.books!, views } }, routes }
  }
  const [late, all] = [[[MEMBERS]], null]
  assert.equal(await told(viewed({ late, all }), viewed({ all, fresh: null })), [
    'books: member may open the view late no more',
  ])
  assert.equal(await told(viewed({ all }), viewed({ all: [[HOLDERS]] })), [
    'books: everyone signed in may open the view all no more',
    'books: member may open the view all no more',
  ])
  assert.equal(await told(viewed({ late }), viewed({ late: null })), [
    'books: everyone signed in may open the view late now',
  ])
  assert.equal(
    await told(books([open]), viewed({ all })).then((said) => said.filter((one) => one.includes('view'))),
    [],
  )
})

test.run()
