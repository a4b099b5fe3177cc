/** The plugins timestamps and soft_delete: what their keys make of a resource. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Assignment } from '../../engine/catalog/catalog.ts'
import { filterKey } from '../../engine/resolve/indexes.ts'
import { mistakes, resolved, resourceOf } from '../resolve/resolves.ts'

const shipped = suite('timestamps and soft_delete')

const VIEW = 'policies: { view: [], create: [], update: [], delete: [] }'

function sets(assignments: readonly Assignment[] | undefined): readonly string[] | undefined {
  return assignments?.map(
    (set) => `${set.field.name} = ${'operand' in set ? JSON.stringify(set.operand) : set.selection.resource}`,
  )
}

shipped('every resource has its moments, given by the database and the engine alone', () => {
  const things = resourceOf({ things: `fields: { name: { type: string } }\n${VIEW}` }, 'things')
  assert.equal([...things.fields.keys()], ['id', 'name', 'created_at', 'updated_at'])
  for (const name of ['created_at', 'updated_at']) {
    const { readOnly, nullable, defaultMoment } = things.fields.get(name)!
    assert.equal([readOnly, nullable, defaultMoment], [true, false, 'now'])
  }
  assert.equal(sets(things.updateSets), ['updated_at = {"kind":"now"}'])
  assert.ok(things.filters.has('created_at') && things.sort.keys.has('updated_at'))
})

shipped('a resource can do without, and can say more of them', () => {
  const without = resourceOf({ things: `timestamps: false\nfields: { name: { type: string } }\n${VIEW}` }, 'things')
  assert.equal([...without.fields.keys()], ['id', 'name'])
  assert.equal(without.updateSets, [])
  const more = resourceOf({ things: `fields: { updated_at: { type: timestamp, show: single } }\n${VIEW}` }, 'things')
  assert.equal([more.fields.get('updated_at')?.show, more.fields.get('updated_at')?.readOnly], ['single', true])
})

shipped('soft_delete hides what is deleted, and restore is a word of its own', () => {
  const hidden = resourceOf({ things: `soft_delete: true\n${VIEW}` }, 'things')
  assert.is(filterKey(hidden.live), 'deleted_at null {"kind":"literal","value":true}')
  assert.equal(sets(hidden.deleteSets), ['deleted_at = {"kind":"now"}'])
  assert.equal(
    [hidden.fields.get('deleted_at')?.show, hidden.restoreSets, hidden.actions.has('restore')],
    ['never', undefined, false],
  )
  const restorable = resourceOf({ things: `soft_delete: true\nrestore: true\n${VIEW}` }, 'things')
  assert.equal(sets(restorable.restoreSets), ['deleted_at = {"kind":"literal","value":null}'])
  assert.ok(restorable.actions.has('restore'))
})

shipped('restore without soft_delete is a mistake', () => {
  assert.equal(mistakes({ things: `restore: true\n${VIEW}` }), [
    'things.yaml [true] missing_live: A record that is removed for good cannot be restored (add "soft_delete: true" and "restore: true", or take restore away)',
  ])
})

shipped('a resource on another table is kept and hidden as the owner’s records are', () => {
  const base = `fields: { kind: { type: enum, values: [a, b] } }\nsoft_delete: true\nrestore: true\n${VIEW}`
  const guest = (more: string) => `of: base\nwhere: { kind: a }\n${more}${VIEW}`
  const catalog = resolved({ base, guest: guest(''), final: guest('restore: false\n') })
  const [taken, final] = [catalog.resources.get('guest')!, catalog.resources.get('final')!]
  assert.equal([...taken.fields.keys()], ['id', 'deleted_at', 'created_at', 'updated_at'])
  assert.is(filterKey(taken.live), filterKey(catalog.resources.get('base')!.live))
  assert.equal([taken.actions.has('restore'), final.actions.has('restore')], [true, false])
  assert.equal(sets(taken.updateSets), ['updated_at = {"kind":"now"}'])
})

shipped('only the owner of a table says whether deleted records stay', () => {
  const said = mistakes({
    base: `fields: { a: { type: string } }\n${VIEW}`,
    guest: `of: base\nsoft_delete: true\n${VIEW}`,
  })
  assert.equal(said, [
    'guest.yaml [guest] soft_delete/owner: "guest" uses the table of "base", which decides whether deleted records stay (write soft_delete in "base")',
  ])
})

shipped.run()
