/** Makes elements, and text out of numbers, times and durations. */

/** An element with properties and children; a child that is null is left out, text stays text. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children.flat().filter((child) => child !== null && child !== undefined))
  return element
}

export function byId(id) {
  return document.getElementById(id)
}

const whole = new Intl.NumberFormat()
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function number(value) {
  return whole.format(value)
}

/** `39.4 %` of a part and a whole. */
export function share(part, of) {
  return `${whole.format(Math.round((part / of) * 1000) / 10)} %`
}

/** So wide, in pixels, that the longest label of an axis fits between its ticks and the edge. */
export function roomFor(labels) {
  const longest = Math.max(0, ...(labels ?? []).map((label) => String(label ?? '').length))
  return Math.max(44, Math.ceil(longest * 7.5) + 20)
}

/** `2 d 4 h`, `35 min`; a dash for nothing. */
export function duration(seconds) {
  if (seconds === null) return '–'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return hours % 24 === 0 ? `${Math.floor(hours / 24)} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** A moment in the reader's own time zone. */
export function time(iso) {
  return make('time', { dateTime: iso, textContent: moment.format(new Date(iso)) })
}

/** The time of day. */
export function clockTime(date) {
  return make('time', { dateTime: date.toISOString(), textContent: clock.format(date) })
}

/** What stands where there is nothing to show. */
export function empty(text) {
  return make('p', { className: 'empty', textContent: text })
}
