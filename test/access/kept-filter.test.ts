/** Conditions that were written down by the names in them, and linked again. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type KeptFilter, kept, linkedAgain } from '../../engine/access/kept-filter.ts'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { Catalog, Filter, Resource } from '../../engine/catalog/catalog.ts'
import { print } from '../../engine/filter/sql.ts'
import { conditionSql } from '../../engine/statement/condition.ts'

const test = suite('kept conditions')
let catalog: Catalog

test.before(async () => {
  const { value } = await readCatalog({ resourcesDir: 'resources', pluginsDir: 'plugins' })
  assert.ok(value)
  catalog = value.catalog
})

function conditions({ scope, live, policies, rules }: Resource): readonly Filter[] {
  const clauses = Object.values(policies).flatMap((list) => list.map(({ where }) => where))
  return [scope, live, ...clauses, ...rules.map(({ must }) => must)].filter((one) => one !== undefined)
}

function written(filter: Filter): KeptFilter {
  return JSON.parse(JSON.stringify(kept(filter)))
}

test('every condition of the desk is the same SQL after it was written down', () => {
  let seen = 0
  for (const resource of catalog.resources.values()) {
    for (const filter of conditions(resource)) {
      const again = linkedAgain(catalog, resource, written(filter))
      assert.ok(again, `${resource.name}: ${JSON.stringify(kept(filter))}`)
      const [former, now] = [filter, again].map((one) => JSON.stringify(print(conditionSql(catalog, one, 't'))))
      assert.is(now, former)
      seen += 1
    }
  }
  assert.ok(seen > 50, `${seen}`)
})

test('a name that leads nowhere any more links to nothing', () => {
  const tickets = catalog.resources.get('tickets')!
  const where = (path: readonly string[]): KeptFilter => ({
    kind: 'or',
    of: [{ kind: 'not', of: { kind: 'compare', path, operator: 'eq', operand: { kind: 'literal', value: 1 } } }],
  })
  assert.ok(linkedAgain(catalog, tickets, where(['user', 'id'])))
  assert.is(linkedAgain(catalog, tickets, where(['owner', 'id'])), undefined)
  assert.is(linkedAgain(catalog, tickets, where(['user', 'shoe_size'])), undefined)
  const many: KeptFilter = { kind: 'related', path: ['remarks'], of: { kind: 'and', of: [] }, count: undefined }
  assert.is(linkedAgain(catalog, tickets, many), undefined)
})

test.run()
