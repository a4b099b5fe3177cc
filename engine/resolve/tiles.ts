/** The figures of a view, judged by what the summary of the resource gives. */
import type { TileDefinition, ViewDefinition } from '../definition/screen-schema.ts'
import type { Span } from '../text/source.ts'
import { type Place, under } from './document-part.ts'
import { linkFilter } from './link.ts'
import { reportUnknown } from './link-path.ts'
import { type Draft, type Resolution, suggest } from './resolution.ts'
import { refuseUnasked } from './screen-paths.ts'

const DRAWN = ['number', 'bars', 'line', 'table'] as const

/** Complains about a period or a tile that the summary does not have. */
export function judgeTiles(resolution: Resolution, draft: Draft, view: ViewDefinition, place: Place): void {
  const over = view.over?.split(' of ')[1]
  if (over !== undefined) {
    const span = place(['over'])
    const field = draft.fields.get(over)
    if (field === undefined) reportUnknown(resolution, draft, over, span)
    else if (field.type.wire !== 'timestamp' && field.type.wire !== 'date')
      resolution.report('wrong_screen', `"${over}" is no day and no moment`, span, {
        hint: 'name a date or a timestamp',
      })
    else refuseUnasked(resolution, draft, { [over]: { null: false } }, () => span)
  }
  for (const [index, tile] of (view.tiles ?? []).entries())
    judgeTile(resolution, draft, tile, under(place, 'tiles', index))
}

function judgeTile(resolution: Resolution, draft: Draft, tile: TileDefinition, place: Place): void {
  const drawn = DRAWN.filter((word) => tile[word] !== undefined)
  const [word] = drawn
  if (word === undefined || drawn.length > 1) {
    const message = `A tile is one of ${DRAWN.join(', ')}`
    resolution.report('wrong_screen', message, place([]), { expected: DRAWN, hint: 'write one of them' })
    return
  }
  if (tile.at !== undefined && tile.from === undefined)
    resolution.report('wrong_screen', '"at" is a place in the answer of a route', place(['at'], 'key'), {
      hint: 'name the route with "from", or take "at" away',
    })
  if (tile.from !== undefined) return
  const { summary } = draft
  if (summary === undefined) {
    resolution.report('wrong_screen', `"${draft.name}" has no summary to draw figures from`, place([word], 'key'), {
      hint: 'add summary: true to the resource',
    })
    return
  }
  if (tile.where !== undefined && linkFilter(resolution, draft, tile.where, under(place, 'where')) !== undefined)
    refuseUnasked(resolution, draft, tile.where, under(place, 'where'))
  for (const name of tile[word]!.split(' of ').at(-1)!.split('..'))
    judgeName(resolution, draft, name, ['count', ...summary.of.keys()], place([word]))
  const groups = tile.by === undefined ? [] : [tile.by].flat()
  if (groups.length === 0 && word !== 'number')
    resolution.report('wrong_screen', `"${word}" is drawn by groups`, place([word], 'key'), {
      hint: 'add by: with a field',
    })
  const known = [...summary.by.values()].map(({ name, relation }) => relation ?? name)
  for (const [index, group] of groups.entries()) {
    const at = typeof tile.by === 'string' ? place(['by']) : place(['by', index])
    judgeName(resolution, draft, group.split(' of ').at(-1)!, [...known, ...summary.by.keys()], at)
  }
}

function judgeName({ report }: Resolution, draft: Draft, name: string, known: readonly string[], span: Span): void {
  if (known.includes(name)) return
  report(
    'not_summarized',
    `The summary of "${draft.name}" does not have "${name}"`,
    span,
    suggest(name, new Set(known)),
  )
}
