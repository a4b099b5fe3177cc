/** What the scripts of the pages share: elements, requests, and devices with passkeys. */

/** Declares `el`, `say`, `send`, `stepText`, `tried` and `passkey`; the page has a body with `data-api` and `data-root`. */
export const SHARED = `
const { api, root, next } = document.querySelector('main').dataset
const said = document.querySelector('output')
const say = (text, good) => { said.textContent = text || ''; said.className = good ? 'notice good' : 'notice bad' }
const el = (tag, attributes, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value)
  }
  made.append(...children)
  return made
}
const send = async (method, path, body) => {
  const headers = { 'X-Plinth': '1', ...(body && { 'content-type': 'application/json' }) }
  let answer, response
  try {
    response = await fetch(api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    answer = response.status === 204 ? {} : await response.json()
  } catch {
    throw Object.assign(new Error('{{That did not work. Please try again in a moment}}'), { status: 0 })
  }
  if (response.ok) return { ...answer, status: response.status }
  const wait = response.status === 429 && response.headers.get('retry-after')
  const text = wait
    ? '{{Too many tries; please wait}} ' + wait + ' {{seconds}}'
    : answer.errors ? [...new Set(Object.values(answer.errors).flat())].join('. ') : answer.message
  throw Object.assign(new Error(text), { status: response.status, code: answer.code, codes: answer.error_codes })
}
/* The step that a sign-in is at, as the fragment with which the page at /sign-in goes on. */
const stepText = (data) => {
  const bytes = String.fromCharCode(...new TextEncoder().encode(JSON.stringify(data)))
  return '#step=' + btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
const hasPasskeys = 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential
const passkey = async (options, more) => {
  const isNew = 'user' in options
  const publicKey = isNew
    ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
    : PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials[isNew ? 'create' : 'get']({ publicKey, ...more })
  return credential.toJSON()
}
const tried = (work) => async (event) => {
  if (event) event.preventDefault()
  say('')
  const button = event && (event.submitter || event.currentTarget)
  if (button && 'disabled' in button) button.disabled = true
  try {
    await work(event)
  } catch (error) {
    say((error.name === 'NotAllowedError' || error.name === 'AbortError' ? '{{The device gave no passkey}}' : error.message) + '.')
  } finally {
    if (button && 'disabled' in button) button.disabled = false
  }
}
`
