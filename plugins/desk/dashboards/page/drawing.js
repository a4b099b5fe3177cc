/** Charts: lines over days, bars over hours and weekdays, in the colours of the page. */
import { byId, empty, number, roomFor } from './element.js'
import uPlot from './uplot.js'

const HEIGHT = 210
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const drawn = new Map()

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}

function axis(more = {}) {
  const line = { stroke: color('line'), width: 1 }
  return { stroke: color('soft'), grid: line, ticks: line, font: '12px system-ui', ...more }
}

/** Draws `options(width)` over `data` in the place of what was there before, and again when its place changes width. */
function draw(id, label, options, data) {
  const place = byId(id)
  drawn.get(id)?.end()
  place.setAttribute('role', 'img')
  place.setAttribute('aria-label', label)
  place.replaceChildren()
  const chart = new uPlot(options(place.clientWidth), data, place)
  const watch = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }))
  watch.observe(place)
  drawn.set(id, {
    end() {
      watch.disconnect()
      chart.destroy()
    },
  })
}

/** Takes a chart away and says why. */
function nothing(id, text) {
  drawn.get(id)?.end()
  drawn.delete(id)
  byId(id).removeAttribute('role')
  byId(id).removeAttribute('aria-label')
  byId(id).replaceChildren(empty(text))
}

/** The data sets of /dashboard/charts over its days. */
export function trend({ labels, datasets }) {
  if (datasets.every(({ data }) => data.every((value) => value === 0)))
    return nothing('trend', 'No tickets in this period.')
  const strokes = ['created', 'resolved', 'backlog'].map(color)
  const series = datasets.map(({ label, data }, index) => ({
    label: index === 2 ? `${label} (right), ${number(data.at(-1) ?? 0)} at the end` : `${label}, ${number(sum(data))} in all`,
    stroke: strokes[index],
    width: 2,
    scale: index === 2 ? 'backlog' : 'y',
    ...(index === 2 ? { dash: [6, 4] } : {}),
    points: { show: labels.length < 3 },
    value: (_, value) => (value === null ? '–' : number(value)),
  }))
  const days = labels.map((day) => Date.parse(day) / 1000)
  const options = (width) => ({
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { y: { range: fromZero }, backlog: { range: fromZero } },
    axes: [
      axis(),
      axis({ size: (_, labels) => roomFor(labels), incrs: WHOLE }),
      axis({ scale: 'backlog', side: 1, size: (_, labels) => roomFor(labels), incrs: WHOLE, stroke: strokes[2], grid: { show: false } }),
    ],
    series: [{ label: 'Day', value: (_, at) => (at === null ? '–' : new Date(at * 1000).toISOString().slice(0, 10)) }, ...series],
  })
  const sums = datasets.map(({ label, data }, index) =>
    index === 2 ? `${label} at the end ${number(data.at(-1) ?? 0)}` : `${label} ${number(sum(data))}`,
  )
  draw('trend', `Line chart of ${labels.length} days. ${sums.join(', ')}.`, options, [days, ...datasets.map(({ data }) => data)])
}

/** There are no half tickets. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]

function fromZero(_, __, most) {
  return [0, Math.max(4, Math.ceil((most ?? 0) * 1.1))]
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

export function byHour(counts) {
  bars('by-hour', counts, (hour) => `${String(hour).padStart(2, '0')}:00`, [0, 6, 12, 18, 23])
}

export function byWeekday(counts) {
  bars('by-weekday', counts, (day) => WEEKDAYS[day] ?? '', [0, 1, 2, 3, 4, 5, 6])
}

function bars(id, counts, name, splits) {
  if (sum(counts) === 0) return nothing(id, 'No tickets in this period.')
  const options = (width) => ({
    width,
    height: HEIGHT,
    legend: { show: true },
    scales: { x: { time: false, range: [-0.7, counts.length - 0.3] }, y: { range: fromZero } },
    axes: [axis({ splits: () => splits, values: (_, at) => at.map(name), grid: { show: false } }), axis({ size: (_, labels) => roomFor(labels), incrs: WHOLE })],
    series: [
      { label: id === 'by-hour' ? 'Hour' : 'Day', value: (_, at) => (at === null ? '–' : name(at)) },
      {
        label: `Created, ${number(sum(counts))} in all`,
        fill: color('created'),
        width: 0,
        paths: uPlot.paths.bars({ size: [0.7, 60] }),
        points: { show: false },
        value: (_, value) => (value === null ? '–' : number(value)),
      },
    ],
  })
  const most = counts.indexOf(Math.max(...counts))
  const label = `Bar chart. Most tickets: ${name(most)} with ${number(counts[most])} of ${number(sum(counts))}.`
  draw(id, label, options, [counts.map((_, at) => at), counts])
}

