/** A calendar: records by their days, as a month, a week, or the list of what is next. */
import type { CSSProperties, ReactNode } from 'react'
import { Button } from 'react-aria-components'
import {
  type Catalog,
  idOf,
  isRecord,
  type Named,
  nameOf,
  type RecordData,
  titleOf,
  valueAt,
} from '../client/catalog.ts'
import { usePages } from '../client/pages.ts'
import { go, hrefOf, usePlace } from '../client/place.ts'
import { type Condition, fieldsFor, type View } from '../client/screens.ts'
import { hasScreen, valueText } from '../format.tsx'
import { Fresh } from '../list/fresh.tsx'
import { followedList, viewed, viewQuery } from '../list/query.ts'
import { Link } from '../shell/link.tsx'
import { Failed, Loading } from '../shell/parts.tsx'
import { usePhone } from '../shell/phone.ts'
import { useTitle } from '../shell/screen-title.ts'
import { ViewHead } from '../shell/view-head.tsx'
import { words } from '../words/words.ts'
import { dayIn, dayOf, daysFrom, dayText, later, monthLater, weekOf } from './days.ts'

interface CalendarProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly view: View
}

const RANGES = ['month', 'week', 'agenda'] as const
type Range = (typeof RANGES)[number]

/** Records that one period shows at most; the screen says when there are more. */
const MOST = 100
const AGENDA_DAYS = 30

/** A record with the days on which it is. */
interface Entry {
  readonly id: string
  readonly text: string
  readonly color: string | undefined
  readonly group: string | undefined
  readonly from: string
  readonly until: string
  /** The time of a moment, for people. */
  readonly time: string | undefined
}

interface Period {
  readonly days: readonly string[]
  readonly before: string
  readonly after: string
  readonly title: string
}

function periodOf(range: Range, day: string): Period {
  const { language } = words()
  if (range === 'week') {
    const days = daysFrom(weekOf(day, language), 7)
    const title = `${dayText(days[0]!, language, { dateStyle: 'medium' })} – ${dayText(days[6]!, language, { dateStyle: 'medium' })}`
    return { days, before: later(day, -7), after: later(day, 7), title }
  }
  if (range === 'agenda') {
    const title = words().fromDay(dayText(day, language, { dateStyle: 'long' }))
    return { days: daysFrom(day, AGENDA_DAYS), before: later(day, -AGENDA_DAYS), after: later(day, AGENDA_DAYS), title }
  }
  const first = monthLater(day, 0)
  const start = weekOf(first, language)
  const weeks = later(start, 35) < monthLater(day, 1) ? 6 : 5
  const title = dayText(first, language, { month: 'long', year: 'numeric' })
  return { days: daysFrom(start, weeks * 7), before: monthLater(day, -1), after: monthLater(day, 1), title }
}

/** Records that are on one of the days. */
function within({ at, from, until }: View, { days }: Period, isDay: (name: string) => boolean): Condition {
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const start = (name: string): string => (isDay(name) ? first : new Date(`${first}T00:00`).toISOString())
  const end = (name: string): string =>
    isDay(name) ? later(last, 1) : new Date(`${later(last, 1)}T00:00`).toISOString()
  if (at !== undefined) return { [at]: { gte: start(at), lt: end(at) } }
  const begins = from ?? ''
  const still =
    until === undefined
      ? { [begins]: { gte: start(begins) } }
      : { any: [{ [until]: { gte: start(until) } }, { [until]: null }] }
  return { all: [{ [begins]: { lt: end(begins) } }, still] }
}

function useEntries({ catalog, named, view }: CalendarProps, period: Period, query: URLSearchParams) {
  const { resource } = named
  const isDay = (name: string): boolean => resource.fields[name]?.type === 'date'
  const paths = [view.at, view.from, view.until, view.title, view.color, view.rows].filter((one) => one !== undefined)
  const when = within(view, period, isDay)
  const asked = `${viewQuery(query, view, when)}&fields=${encodeURIComponent(fieldsFor(named, paths))}`
  const perPage = Math.min(MOST, catalog.limits.perPageMax ?? MOST)
  const list = followedList(named, undefined, viewed(query, view, when))
  const pages = usePages({ path: resource.path, query: asked, perPage, stream: catalog.stream, list })
  const entries = pages.rows.flatMap((row) => entryOf(catalog, named, view, row) ?? [])
  return { entries: entries.sort((a, b) => (`${a.from}${a.time ?? ''}` < `${b.from}${b.time ?? ''}` ? -1 : 1)), pages }
}

function entryOf(catalog: Catalog, { resource }: Named, view: View, row: RecordData): Entry | undefined {
  const name = view.at ?? view.from ?? ''
  const begin = row[name]
  if (typeof begin !== 'string') return undefined
  const end = view.until === undefined ? begin : row[view.until]
  const said = view.title === undefined ? null : valueAt(row, view.title)
  const { type = '', values } = resource.fields[view.title ?? ''] ?? {}
  const color = view.color === undefined ? null : valueAt(row, view.color)
  const relation = view.rows === undefined ? undefined : resource.relations[view.rows]
  const part = view.rows === undefined ? undefined : row[view.rows]
  const isMoment = resource.fields[name]?.type === 'timestamp'
  const time = new Intl.DateTimeFormat(words().language, { timeStyle: 'short' })
  return {
    id: idOf(row),
    text: said === null || said === '' ? titleOf(resource, row) : valueText(type, said, values),
    color: typeof color === 'string' && /^#[0-9a-f]{3,8}$/i.test(color) ? color : undefined,
    group: relation !== undefined && isRecord(part) ? nameOf(catalog, relation, part) : undefined,
    from: dayOf(begin),
    until: typeof end === 'string' ? dayOf(end) : dayOf(begin),
    time: isMoment ? time.format(new Date(begin)) : undefined,
  }
}

export default function CalendarScreen(props: CalendarProps): ReactNode {
  const { catalog, named, view } = props
  const { parts, query } = usePlace()
  useTitle(view.label, catalog.name)
  const isNarrow = usePhone()
  const asked = query.get('range')
  const range: Range = isNarrow ? 'agenda' : (RANGES.find((one) => one === asked) ?? 'month')
  const today = dayIn(new Date())
  const day = /^\d{4}-\d\d-\d\d$/.test(query.get('day') ?? '') ? (query.get('day') ?? today) : today
  const period = periodOf(range, day)
  const { entries, pages } = useEntries(props, period, query)
  const open = (changes: Readonly<Record<string, string>>): void => {
    const next = new URLSearchParams(query)
    for (const [key, value] of Object.entries(changes)) next.set(key, value)
    go(hrefOf(parts, next))
  }
  const shared = { catalog, entries, named, period, today }
  return (
    <>
      <ViewHead catalog={catalog} named={named} title={view.label} />
      <Tools {...{ isNarrow, open, period, range, today }} />
      {pages.failure === undefined ? null : <Failed onAgain={pages.again} text={pages.failure} />}
      <Fresh pages={pages} />
      {typeof pages.pagination?.next_cursor === 'string' ? (
        <p className="soft">
          {words().tooManyEntries}{' '}
          <Button className="button" onPress={pages.more}>
            {words().more}
          </Button>
        </p>
      ) : null}
      {pages.isAsking && entries.length === 0 ? (
        <Loading />
      ) : range === 'agenda' ? (
        <Agenda {...shared} />
      ) : (
        <Days {...shared} isMonth={range === 'month'} month={day.slice(0, 7)} />
      )}
    </>
  )
}

interface ToolsProps {
  readonly isNarrow: boolean
  readonly open: (changes: Readonly<Record<string, string>>) => void
  readonly period: Period
  readonly range: Range
  readonly today: string
}

/** The way to other days, and to other ways of showing them. */
function Tools({ isNarrow, open, period, range, today }: ToolsProps): ReactNode {
  return (
    <div className="row tools">
      <Button aria-label={words().earlier} className="button" onPress={() => open({ day: period.before })}>
        <span aria-hidden="true" className="flip">
          ‹
        </span>
      </Button>
      <Button className="button" onPress={() => open({ day: today })}>
        {words().today}
      </Button>
      <Button aria-label={words().later} className="button" onPress={() => open({ day: period.after })}>
        <span aria-hidden="true" className="flip">
          ›
        </span>
      </Button>
      <h2 aria-live="polite">{period.title}</h2>
      {isNarrow ? null : (
        <div className="row ranges">
          {RANGES.map((one) => (
            <Button aria-pressed={one === range} className="button" key={one} onPress={() => open({ range: one })}>
              {words().ranges[one]}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

interface DaysProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly entries: readonly Entry[]
  readonly period: Period
  readonly today: string
}

function on(entries: readonly Entry[], day: string): readonly Entry[] {
  return entries.filter(({ from, until }) => from <= day && (until >= day || from === day))
}

/** Entries of a day in a month; the others are behind the day. */
const IN_A_DAY = 4

function Days(props: DaysProps & { readonly isMonth: boolean; readonly month: string }): ReactNode {
  const { catalog, entries, isMonth, month, named, period, today } = props
  const { language } = words()
  const weeks = Array.from({ length: period.days.length / 7 }, (_, at) => period.days.slice(at * 7, at * 7 + 7))
  return (
    <table className={isMonth ? 'calendar' : 'calendar week'}>
      <thead>
        <tr>
          {weeks[0]!.map((day) => (
            <th key={day} scope="col">
              {dayText(day, language, { weekday: 'short' })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <td className={isMonth && !day.startsWith(month) ? 'other' : undefined} key={day}>
                <Day
                  catalog={catalog}
                  day={day}
                  entries={on(entries, day)}
                  isMonth={isMonth}
                  named={named}
                  today={today}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface DayProps extends Pick<DaysProps, 'catalog' | 'named' | 'today'> {
  readonly day: string
  readonly entries: readonly Entry[]
  readonly isMonth: boolean
}

function Day({ catalog, day, entries, isMonth, named, today }: DayProps): ReactNode {
  const { query } = usePlace()
  const shown = isMonth ? entries.slice(0, IN_A_DAY) : entries
  const next = new URLSearchParams(query)
  next.set('day', day)
  next.set('range', 'agenda')
  return (
    <>
      <time aria-current={day === today ? 'date' : undefined} dateTime={day}>
        {dayText(day, words().language, isMonth ? { day: 'numeric' } : { day: 'numeric', month: 'short' })}
      </time>
      <ul className="entries">
        {shown.map((entry) => (
          <EntryItem catalog={catalog} entry={entry} key={entry.id} named={named} />
        ))}
      </ul>
      {entries.length > shown.length ? (
        <Link href={hrefOf([named.name], next)}>{words().moreEntries(entries.length - shown.length)}</Link>
      ) : null}
    </>
  )
}

function EntryItem(props: Pick<DaysProps, 'catalog' | 'named'> & { readonly entry: Entry }): ReactNode {
  const { catalog, entry, named } = props
  const { color, group, id, text, time } = entry
  const style = color === undefined ? undefined : ({ '--entry': color } as CSSProperties)
  const said = (
    <>
      {time === undefined ? null : <span className="soft">{time} </span>}
      {text}
      {group === undefined ? null : <span className="soft"> · {group}</span>}
    </>
  )
  return (
    <li className="entry" style={style}>
      {hasScreen(catalog, named.name) ? <Link href={hrefOf([named.name, id])}>{said}</Link> : said}
    </li>
  )
}

/** The days on which something is, one below the other. */
function Agenda({ catalog, entries, named, period, today }: DaysProps): ReactNode {
  const days = period.days.filter((day) => on(entries, day).length > 0)
  if (days.length === 0) return <p className="empty">{words().noEntries}</p>
  return (
    <ol className="agenda">
      {days.map((day) => (
        <li className="card" key={day}>
          <h3>
            <time aria-current={day === today ? 'date' : undefined} dateTime={day}>
              {dayText(day, words().language, { weekday: 'long', day: 'numeric', month: 'long' })}
            </time>
          </h3>
          <ul className="entries">
            {on(entries, day).map((entry) => (
              <EntryItem catalog={catalog} entry={entry} key={entry.id} named={named} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}
