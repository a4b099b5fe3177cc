/** Words of deeds and promises, in English and German, for the filter of claims. */

const list = (text: string): readonly string[] => text.trim().split(/\s+/)
const set = (text: string): ReadonlySet<string> => new Set(list(text))

/** Deeds of a desk for a customer; every form is derived from these. */
const VERBS = list(`refund reimburse credit ship dispatch deliver mail email replace exchange repair fix resolve solve
  correct adjust restore unlock activate deactivate reactivate cancel delete remove escalate forward contact call phone
  notify inform arrange schedule book order reorder issue reissue process transfer waive compensate extend upgrade
  downgrade prepare investigate check review verify confirm handle visit collect approve grant complete post renew
  expedite look pass reach assign settle`)
const IRREGULAR_BASES = list('send resend reset pay do make give write come ring')
const IRREGULAR_PAST = list('sent resent paid done made gave given wrote written came rang rung')
/** Like the base form: "Reset the device" is an instruction. */
const SAME_PAST = 'reset'

function pastOf(verb: string): string {
  if (verb.endsWith('e')) return `${verb}d`
  if (verb === 'ship') return 'shipped'
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`
}

function formsOf(verb: string): readonly string[] {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb === 'ship' ? 'shipp' : verb
  const third = /(?:s|sh|ch|x)$/.test(verb) ? `${verb}es` : verb.replace(/([^aeiou])y$/, '$1ie').concat('s')
  return [verb, third, `${stem}ing`]
}

export const PAST: ReadonlySet<string> = new Set([
  ...VERBS.map(pastOf),
  ...list('cancelled transferred'),
  ...IRREGULAR_PAST,
])
export const DEEDS: ReadonlySet<string> = new Set([
  ...PAST,
  ...VERBS.flatMap(formsOf),
  ...list('cancelling resetting transferring'),
  ...IRREGULAR_BASES.flatMap(formsOf),
  SAME_PAST,
])
export const PARTICIPLES: ReadonlySet<string> = new Set([...PAST, SAME_PAST])

/** May be between a subject and its verb. */
export const ADVERBS = set(`already also just now then really certainly gladly kindly personally both all still soon
  shortly immediately definitely of course therefore hereby probably usually always simply please only today tomorrow
  gern gerne auch leider daher nur natürlich umgehend sofort bereits schon jetzt heute morgen dann noch`)
/** After `I` and `we`, these are needs or feelings, and no deeds. */
export const ALLOWED = set(`need recommend understand apologise apologize regret hope thank appreciate accept support
  speak advise help`)
export const CONDITIONS = set(
  'if when whenever once unless until after before wenn falls sobald nachdem bevor bis sofern',
)
/** Others who act for the desk. */
export const COLLEAGUES = set(`team teams department departments colleague colleagues technician technicians engineer
  engineers specialist specialists expert experts courier carrier driver warehouse accounting accountant manager staff
  somebody someone representative mechanic company agent agents supplier kollege kollegin kollegen kolleginnen techniker
  technikerin mitarbeiter mitarbeiterin fachabteilung abteilung buchhaltung lager fahrer spedition kurier jemand
  kundendienst monteur versand`)
export const ACTING = set(`will shall has have had wird werden hat haben meldet melden ruft rufen kommt kommen schickt
  schicken sendet senden kümmert kümmern prüft prüfen liefert bringt holt repariert erstattet übernimmt`)
/** What customers are promised. */
export const GETTING = set('receive get hear have')
export const MOVES =
  set(`arrive arrives come comes ship ships leave leaves go goes follow follows geht gehen kommt kommen
  trifft treffen folgt folgen startet`)
export const WHEN =
  set(`today tomorrow tonight now shortly soon immediately asap within monday tuesday wednesday thursday
  friday saturday sunday heute morgen übermorgen gleich sofort umgehend demnächst kürze innerhalb binnen montag dienstag
  mittwoch donnerstag freitag samstag sonntag`)
export const HELPLESS = set(
  'can cannot could may must should might be not kann können muss müssen sollte darf nicht sein',
)

export const PHRASES: readonly string[] = [
  'goes out',
  'going out',
  'on its way',
  'on the way',
  'on their way',
  'under way',
  'underway',
  'taken care of',
  'take care of',
  'all set',
  'consider it',
  'rest assured',
  'my word',
  'our word',
  'let me',
  'allow me',
  'allow us',
  'expect a',
  'expect an',
  'expect to',
  'expect your',
  'expect the',
  'expect our',
  'looking into',
  'in the post',
  'in the mail',
  'get back to you',
  'be in touch',
  'working on it',
  'worked on',
  'is coming',
  'are coming',
  'is arriving',
  'promise',
  'promised',
  'promises',
  'guaranteed',
  'unterwegs',
  'auf dem weg',
  'geht raus',
  'geht an sie',
  'geht heute',
  'geht morgen',
  'versprochen',
  'verspreche',
  'versprechen',
  'garantiert',
  'garantieren',
  'zugesagt',
  'zusage',
  'in bearbeitung',
  'in arbeit',
  'in die wege',
  'rückruf von',
  'einen rückruf',
  'einen anruf',
]

/** German: deeds for a customer. */
export const GERMAN_DEEDS = set(`erstattet rückerstattet zurückerstattet zurückgezahlt versendet versandt verschickt
  gesendet gesandt geschickt zugeschickt zugesandt storniert gutgeschrieben repariert behoben gelöst ersetzt ausgetauscht
  umgetauscht zurückgesetzt gelöscht geändert aktualisiert freigeschaltet freigegeben entsperrt aktiviert deaktiviert
  weitergeleitet weitergegeben bearbeitet überwiesen bezahlt gekündigt verlängert angelegt gebucht erledigt geprüft
  überprüft kontaktiert angerufen zurückgerufen informiert benachrichtigt korrigiert berichtigt veranlasst eingeleitet
  beauftragt bestellt nachbestellt geliefert nachgeliefert abgeholt ausgestellt hinterlegt erlassen eskaliert gemeldet
  erstatten versenden verschicken senden schicken zusenden zuschicken stornieren gutschreiben reparieren beheben lösen
  ersetzen austauschen zurücksetzen löschen ändern aktualisieren freischalten entsperren weiterleiten bearbeiten
  überweisen verlängern anrufen zurückrufen melden informieren benachrichtigen korrigieren veranlassen prüfen kümmern
  liefern nachliefern abholen`)
export const GERMAN_BECOMING = set('wurde wurden worden wird werden')
export const GERMAN_ALLOWED = set(`brauchen brauche benötigen benötige empfehlen empfehle raten rate verstehen verstehe
  bedauern bedaure bedauere danken danke hoffen hoffe entschuldigen entschuldige helfen helfe bitten`)
export const GERMAN_GETTING = set('erhalten bekommen hören kriegen erhältst bekommst hörst')
