/** Figures: numbers with the change to the period before, bars, lines and tables. */
import type { CSSProperties, ReactNode } from 'react'
import { rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { type Catalog, type Named, routeNamed } from '../client/catalog.ts'
import type { Tile, View } from '../client/screens.ts'
import { Failed, Loading } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { ViewHead } from '../shell/view-head.tsx'
import { words } from '../words/words.ts'
import {
  type Drawn,
  drawnBy,
  during,
  figureText,
  type Group,
  groupsIn,
  groupsOf,
  numberIn,
  type Periods,
  periodsOf,
  summaryPath,
} from './measure.ts'

interface FiguresProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly view: View
}

export default function FiguresScreen({ catalog, named, view }: FiguresProps): ReactNode {
  useTitle(view.label, catalog.name)
  return (
    <>
      <ViewHead catalog={catalog} named={named} title={view.label} />
      <div className="figures">
        {(view.tiles ?? []).map((tile) => (
          <TileCard catalog={catalog} key={JSON.stringify(tile)} named={named} tile={tile} view={view} />
        ))}
      </div>
    </>
  )
}

interface TileProps extends FiguresProps {
  readonly tile: Tile
}

/** What a tile shows: a number and the one before, or groups. */
interface Shown {
  readonly value?: number | null
  readonly before?: number | null
  readonly groups?: readonly Group[]
}

interface Figures {
  readonly shown: Shown | undefined
  readonly failure: string | undefined
  again(): void
}

/** The figures of a tile from the summary of the list. */
function useSummary({ catalog, named, tile, view }: TileProps, periods: Periods | undefined): Figures {
  const { kind } = drawnBy(tile)
  const isOwn = tile.from === undefined
  const now = useAnswer(isOwn ? summaryPath(named, view, tile, periods && during(named, periods, false)) : undefined)
  const earlier = periods !== undefined && kind === 'number' && isOwn ? during(named, periods, true) : undefined
  const before = useAnswer(earlier === undefined ? undefined : summaryPath(named, view, tile, earlier))
  const { answer } = now
  if (answer === undefined) return { shown: undefined, failure: now.failure, again: now.again }
  const groups = groupsOf(catalog, named, tile, rowsIn(answer))
  if (kind !== 'number') return { shown: { groups }, failure: now.failure, again: now.again }
  const [previous] = before.answer === undefined ? [] : groupsOf(catalog, named, tile, rowsIn(before.answer))
  return {
    shown: { value: groups[0]?.value ?? 0, ...(previous === undefined ? {} : { before: previous.value }) },
    failure: now.failure,
    again: now.again,
  }
}

/** The figures of a tile from a route of a plugin, for the period where the route takes one. */
function useRoute({ catalog, tile }: TileProps, periods: Periods | undefined): Figures {
  const route = tile.from === undefined ? undefined : routeNamed(catalog, tile.from)
  const takes = route?.query?.properties !== undefined && 'date_from' in route.query.properties
  const query = periods !== undefined && takes ? `?date_from=${periods.from}` : ''
  const { again, answer, failure } = useAnswer(route === undefined ? undefined : `${route.path}${query}`)
  if (answer === undefined) return { shown: undefined, failure, again }
  const { data } = answer
  const { kind } = drawnBy(tile)
  return {
    shown: kind === 'number' ? { value: numberIn(data, tile) } : { groups: groupsIn(data, tile) },
    failure,
    again,
  }
}

function TileCard(props: TileProps): ReactNode {
  const { named, tile, view } = props
  const periods = periodsOf(view)
  const summary = useSummary(props, periods)
  const route = useRoute(props, periods)
  const { again, failure, shown } = tile.from === undefined ? summary : route
  const { kind, measure } = drawnBy(tile)
  const groups = [tile.by ?? []].flat().map((group) => nameOfGroup(named, group))
  const label =
    tile.label ?? [measure === 'count' ? named.resource.label.many : wordsOf(named, measure), ...groups].join(' · ')
  return (
    <section aria-label={label} className={`card tile tile-${kind}`}>
      <h2>{label}</h2>
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      {shown === undefined ? (
        failure === undefined && <Loading />
      ) : shown.groups === undefined ? (
        <NumberFigure {...shown} as={tile.as} />
      ) : (
        <Groups
          value={measure === 'count' ? named.resource.label.many : wordsOf(named, measure)}
          as={tile.as}
          groups={shown.groups}
          heads={groups.length === 0 ? [''] : groups}
          kind={kind}
          label={label}
        />
      )}
    </section>
  )
}

function nameOfGroup({ resource }: Named, group: string): string {
  const [name = ''] = group.split(' of ').reverse()
  return resource.relations[name]?.label ?? resource.fields[name]?.label ?? name
}

function wordsOf({ resource }: Named, measure: string): string {
  const [name = '', figure] = measure.split(' of ').reverse()
  const label = name
    .split('..')
    .map((part) => resource.fields[part]?.label ?? part)
    .join(' – ')
  return figure === undefined ? label : `${words().figures[figure] ?? figure}: ${label}`
}

function NumberFigure({ as, before, value = null }: Shown & { readonly as: Tile['as'] }): ReactNode {
  return (
    <>
      <p className="number">{figureText(value, as)}</p>
      {before === undefined || before === null || value === null ? null : (
        <p className="soft">{words().changeSince(changeText(value, before), figureText(before, as))}</p>
      )}
    </>
  )
}

/** `+12 %`; what has grown out of nothing has no percentage. */
function changeText(value: number, before: number): string {
  if (before === 0) return value === 0 ? '±0' : '+'
  const percent = Math.round(((value - before) / Math.abs(before)) * 100)
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`
}

interface GroupsProps {
  readonly kind: Drawn
  readonly label: string
  /** What the numbers are. */
  readonly value: string
  readonly groups: readonly Group[]
  readonly heads: readonly string[]
  readonly as: Tile['as']
}

function Groups(props: GroupsProps): ReactNode {
  const { as, groups, kind } = props
  if (groups.length === 0) return <p className="soft">{words().noFigures}</p>
  if (kind === 'table') return <GroupTable {...props} />
  if (kind === 'line')
    return (
      <>
        <Line {...props} />
        <details>
          <summary>{words().asTable}</summary>
          <GroupTable {...props} />
        </details>
      </>
    )
  const most = Math.max(...groups.map(({ value }) => value ?? 0), 1)
  return (
    <ul className="bars">
      {groups.map(({ labels, value }) => (
        <li key={labels.join(' ')} style={{ '--part': (value ?? 0) / most } as CSSProperties}>
          <span>{labels.join(' · ')}</span>
          <span className="bar" />
          <span>{figureText(value, as)}</span>
        </li>
      ))}
    </ul>
  )
}

function GroupTable({ as, groups, heads, value: head }: GroupsProps): ReactNode {
  return (
    <table className="plain">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          <th scope="col">{head}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ labels, value }) => (
          <tr key={labels.join(' ')}>
            {labels.map((text, at) => (
              <td key={heads[at]}>{text}</td>
            ))}
            <td className="end">{figureText(value, as)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const WIDE = 600
const HIGH = 160

/** A line from the first group to the last, in a drawing that is as wide as its card. */
function Line({ as, groups, label }: GroupsProps): ReactNode {
  const most = Math.max(...groups.map(({ value }) => value ?? 0), 1)
  const step = WIDE / Math.max(groups.length - 1, 1)
  const points = groups.map(
    ({ value }, at) => `${(at * step).toFixed(1)},${(HIGH - ((value ?? 0) / most) * HIGH).toFixed(1)}`,
  )
  return (
    <figure className="line">
      <span className="soft">{figureText(most, as)}</span>
      <svg aria-label={label} preserveAspectRatio="none" role="img" viewBox={`0 0 ${WIDE} ${HIGH}`}>
        <polygon points={`0,${HIGH} ${points.join(' ')} ${WIDE},${HIGH}`} />
        <polyline points={points.join(' ')} />
      </svg>
      <figcaption className="soft">
        <span>{groups[0]?.labels.join(' ')}</span>
        <span>{groups.at(-1)?.labels.join(' ')}</span>
      </figcaption>
    </figure>
  )
}
