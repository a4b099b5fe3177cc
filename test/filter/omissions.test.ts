/** What a filter can be without: every condition once, and never more than is left out. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Catalog } from '../../engine/catalog/catalog.ts'
import { changedCatalog } from '../../engine/catalog/without.ts'
import type { FilterOf } from '../../engine/filter/filter.ts'
import { comparisons, omissions } from '../../engine/filter/walk.ts'

const omitted = suite('omissions of a filter')

type Drawn = FilterOf<string>

/** Filters whose conditions are numbered, so that none is there twice. */
const { filter } = fc.letrec<{ filter: Drawn; leaf: Drawn }>((tie) => {
  const lists = fc.array(tie('filter'), { minLength: 1, maxLength: 3 })
  const node = (kind: 'and' | 'or') => lists.map((of): Drawn => ({ kind, of }))
  return {
    leaf: fc
      .nat(9)
      .map((value): Drawn => ({ kind: 'compare', path: 'n', operator: 'eq', operand: { kind: 'literal', value } })),
    filter: fc.oneof(
      { maxDepth: 4 },
      tie('leaf'),
      node('and'),
      node('or'),
      tie('filter').map((of): Drawn => ({ kind: 'not', of })),
      tie('filter').map((of): Drawn => ({ kind: 'related', path: 'm', of, count: undefined })),
    ),
  }
})

omitted('are without what they leave out, and everything else is as it was', () => {
  fc.assert(
    fc.property(filter, (drawn) => {
      const whole = Object.assign({} as Catalog, { fieldTypes: new Map(), filter: drawn })
      for (const { instead, of, part } of omissions(drawn, { of: whole, instead: { filter: undefined } })) {
        const { filter: rest } = changedCatalog(whole, new Map([[of, instead]])) as {
          filter?: Drawn
        }
        const left = rest === undefined ? 0 : comparisons(rest).length
        assert.is(left, comparisons(drawn).length - comparisons(part).length)
      }
    }),
    { numRuns: 300 },
  )
})

omitted('leave out every condition, with others where it cannot be left out alone', () => {
  fc.assert(
    fc.property(filter, (drawn) => {
      const parts = omissions(drawn, { of: {}, instead: {} }).flatMap(({ part }) => comparisons(part))
      assert.is(new Set(parts).size, new Set(comparisons(drawn)).size)
    }),
    { numRuns: 300 },
  )
})

omitted.run()
