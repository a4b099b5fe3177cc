/** A view of records along time, each from its beginning to its end, in groups by a related record. */
import {
  Button,
  Failed,
  go,
  hrefOf,
  idOf,
  Link,
  Loading,
  momentText,
  nameOf,
  type RecordData,
  Row,
  titleOf,
  useCatalog,
  usePlace,
  useRecords,
  useWords,
  ViewHead,
  type ViewProps,
  valueAt,
} from 'plinth/console'
import type { CSSProperties, ReactNode } from 'react'
import { useNow } from './now.tsx'

const EN = {
  language: 'en',
  ranges: { day: 'Day', week: 'Week', month: 'Four weeks' },
  before: 'Earlier',
  today: 'Today',
  after: 'Later',
  empty: 'Nothing at this time.',
  more: 'Show more',
  span: (from: string, until: string) => `${from} – ${until}`,
  open: (from: string) => `since ${from}, without an end`,
}
const DE: typeof EN = {
  language: 'de',
  ranges: { day: 'Tag', week: 'Woche', month: 'Vier Wochen' },
  before: 'Früher',
  today: 'Heute',
  after: 'Später',
  empty: 'Nichts zu dieser Zeit.',
  more: 'Mehr anzeigen',
  span: (from, until) => `${from} – ${until}`,
  open: (from) => `seit ${from}, ohne Ende`,
}
const WORDS = { en: EN, de: DE }

type Range = 'day' | 'week' | 'month'
/** The days of a range, its marks, and how many days it begins before the chosen one. */
const RANGES: Readonly<Record<Range, { readonly days: number; readonly marks: number; readonly ahead: number }>> = {
  day: { days: 1, marks: 4, ahead: 0 },
  week: { days: 7, marks: 7, ahead: 1 },
  month: { days: 28, marks: 4, ahead: 7 },
}

/** The part of time that is shown. */
interface Window {
  readonly range: Range
  readonly from: number
  readonly until: number
  /** The chosen day as `2026-01-31`. */
  readonly day: string
}

const dayText = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function dayLater(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return dayText(new Date(year, month - 1, date + days))
}

function windowOf(query: URLSearchParams): Window {
  const [asked, day] = [query.get('range'), query.get('day') ?? '']
  const range: Range = asked === 'day' || asked === 'month' ? asked : 'week'
  const chosen = /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : dayText(new Date())
  const { ahead, days } = RANGES[range]
  const first = dayLater(chosen, -ahead)
  const moment = (text: string): number => new Date(`${text}T00:00`).getTime()
  return { range, day: chosen, from: moment(first), until: moment(dayLater(first, days)) }
}

/** A value of the API in milliseconds; a day without a time begins with it. */
function momentOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  return new Date(value.length === 10 ? `${value}T00:00` : value).getTime()
}

/** The records of the view that lie in the window. */
function useRecordsIn(shown: Window, { named, view }: ViewProps): ReturnType<typeof useRecords> {
  const { query } = usePlace()
  const { resource } = named
  const { color, from = 'created_at', rows = '', until = '' } = view
  const isDay = (name: string): boolean => resource.fields[name]?.type === 'date'
  const edge = (name: string, moment: number): string =>
    isDay(name) ? dayText(new Date(moment)) : new Date(moment).toISOString()
  const heads = [...resource.title, from, until, color, rows].map((path = '') => path.split('.')[0] ?? '')
  const still = { any: [{ [until]: { gte: edge(until, shown.from) } }, { [until]: null }] }
  return useRecords(named.name, {
    view,
    where: { all: [{ [from]: { lt: edge(from, shown.until) } }, ...(until === '' ? [] : [still])] },
    fields: [...new Set(heads.filter((name) => name !== ''))],
    sort: query.get('sort') ?? view.sort?.join(',') ?? resource.list?.sort.default.join(',') ?? '',
  })
}

export function Timeline({ named, view }: ViewProps): ReactNode {
  const words = useWords(WORDS)
  const catalog = useCatalog()
  const now = useNow(60_000)
  const shown = windowOf(usePlace().query)
  const { again, failure, hasMore, isAsking, more, records } = useRecordsIn(shown, { named, view })
  const { resource } = named
  const { color, from = 'created_at', rows = '', until = '' } = view
  const relation = resource.relations[rows]
  const groupOf = (record: RecordData): string => {
    const part = record[rows]
    if (relation === undefined) return ''
    return part === null || part === undefined ? `${relation.label}: –` : nameOf(catalog, relation, part as RecordData)
  }
  const groups = new Map<string, RecordData[]>()
  for (const record of records) groups.set(groupOf(record), [...(groups.get(groupOf(record)) ?? []), record])
  return (
    <>
      <ViewHead catalog={catalog} named={named} title={view.label} />
      <Ways shown={shown} />
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      <div className="card timeline">
        <Marks shown={shown} />
        {[...groups].map(([name, entries]) => (
          <section aria-label={name || view.label} key={name}>
            {name === '' ? null : <h2>{name}</h2>}
            <ul>
              {entries.map((record) => (
                <li key={idOf(record)}>
                  <Link to={[named.name, idOf(record)]}>
                    {titleIn(record, view.title) ?? titleOf(resource, record)}
                  </Link>
                  <Bar
                    color={color === undefined ? undefined : valueAt(record, color)}
                    from={momentOf(record[from])}
                    now={now}
                    shown={shown}
                    until={momentOf(record[until])}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {records.length > 0 ? null : isAsking ? <Loading /> : <p className="soft">{words.empty}</p>}
      </div>
      {hasMore ? <Button onPress={more}>{words.more}</Button> : null}
    </>
  )
}

function titleIn(record: RecordData, path: string | undefined): string | undefined {
  const value = path === undefined ? null : valueAt(record, path)
  return value === null || value === '' ? undefined : String(value)
}

/** The ways to other times, and to other lengths of time. */
function Ways({ shown: { day, range } }: { readonly shown: Window }): ReactNode {
  const words = useWords(WORDS)
  const { parts, query } = usePlace()
  const show = (changes: Readonly<Record<string, string>>): void =>
    go(hrefOf(parts, new URLSearchParams({ ...Object.fromEntries(query), ...changes })))
  const { days } = RANGES[range]
  return (
    <Row>
      <Button onPress={() => show({ day: dayLater(day, -days) })}>{words.before}</Button>
      <Button onPress={() => show({ day: dayText(new Date()) })}>{words.today}</Button>
      <Button onPress={() => show({ day: dayLater(day, days) })}>{words.after}</Button>
      {(['day', 'week', 'month'] as const).map((one) => (
        <Button isPressed={one === range} key={one} onPress={() => show({ range: one })}>
          {words.ranges[one]}
        </Button>
      ))}
    </Row>
  )
}

/** How far a moment is along the window, as a share of it. */
function shareOf(moment: number, { from, until }: Window): number {
  return Math.min(1, Math.max(0, (moment - from) / (until - from)))
}

function Marks({ shown }: { readonly shown: Window }): ReactNode {
  const { language } = useWords(WORDS)
  const { days, marks } = RANGES[shown.range]
  const format = new Intl.DateTimeFormat(
    language,
    days === 1 ? { hour: 'numeric', minute: '2-digit' } : { weekday: 'short', day: 'numeric', month: 'short' },
  )
  const step = days / marks
  const markAt = (at: number): Date => {
    const date = new Date(shown.from)
    if (days === 1) date.setHours(24 * step * at)
    else date.setDate(date.getDate() + step * at)
    return date
  }
  return (
    <p aria-hidden="true" className="timeline-marks">
      <span>
        {Array.from({ length: marks }, (_, at) => format.format(markAt(at))).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </span>
    </p>
  )
}

interface BarProps {
  readonly color: unknown
  readonly from: number | undefined
  readonly until: number | undefined
  readonly now: number
  readonly shown: Window
}

/** Where a record lies in the window, with the present moment as a line, and in words for those who do not see it. */
function Bar({ color, from, now, shown, until }: BarProps): ReactNode {
  const words = useWords(WORDS)
  if (from === undefined) return null
  const [begin, end] = [shareOf(from, shown), until === undefined ? 1 : shareOf(until, shown)]
  const text = (moment: number): string => momentText(new Date(moment).toISOString())
  const saying = until === undefined ? words.open(text(from)) : words.span(text(from), text(until))
  const place: CSSProperties & Record<'--entry', string | undefined> = {
    '--entry': typeof color === 'string' && /^#[0-9a-f]{3,8}$/i.test(color) ? color : undefined,
    insetInlineStart: `${begin * 100}%`,
    inlineSize: `${Math.max(0, end - begin) * 100}%`,
  }
  const isNow = now >= shown.from && now < shown.until
  return (
    <span className="timeline-track" title={saying}>
      <span className={`timeline-bar${until === undefined ? ' open' : ''}`} style={place} />
      {isNow ? <span className="timeline-now" style={{ insetInlineStart: `${shareOf(now, shown) * 100}%` }} /> : null}
      <small className="soft">{saying}</small>
    </span>
  )
}
