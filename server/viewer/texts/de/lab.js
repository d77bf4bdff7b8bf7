/* German texts of the lab. */

export default {
  'this is not JSON: something is missing here, or too much':
    'das ist kein JSON: hier fehlt etwas, oder etwas ist zu viel',
  'no "(" belongs to this ")"': 'zu diesem ")" gehört kein "("',
  'this "(" is not closed': 'dieses "(" wird nicht geschlossen',
  'unexpected character "{0}"': 'unerwartetes Zeichen "{0}"',
  'unknown function "{0}"': 'unbekannte Funktion "{0}"',
  'unknown name "{0}"': 'unbekannter Name "{0}"',
  '{0}() has no argument "{1}"': '{0}() hat kein Argument "{1}"',
  'unknown key "{0}": allowed are {1}': 'unbekannter Schlüssel "{0}": erlaubt sind {1}',
  'Divider between the version before and the present one':
    'Trennlinie zwischen der Fassung davor und der jetzigen',
  'The version before': 'Die Fassung davor',
  Now: 'Jetzt',
  layer: 'Ebene',
  biome: 'Biom',
  'Less (Alt and arrow down)': 'Weniger (Alt und Pfeil ab)',
  'More (Alt and arrow up)': 'Mehr (Alt und Pfeil auf)',
  Less: 'Weniger',
  More: 'Mehr',
  'Drag a number with Alt held down, or change the one at the cursor here.':
    'Eine Zahl mit gedrückter Alt-Taste ziehen, oder die am Cursor hier ändern.',
  'Change the number at the cursor here.': 'Hier die Zahl am Cursor ändern.',
  'Drag to change the number': 'Ziehen ändert die Zahl',
  'World file': 'Weltdatei',
  'Save it as a file first': 'Zuerst als Datei speichern',
  'Replace it': 'Ersetzen',
  'Keep it': 'Behalten',
  'Link to this world': 'Link zu dieser Welt',
  'Hide the link': 'Den Link verbergen',
  'The link is copied. The whole world is in it: {0} characters.':
    'Der Link ist kopiert. Die ganze Welt steht darin: {0} Zeichen.',
  'Copy this link. The whole world is in it.': 'Diesen Link kopieren. Die ganze Welt steht darin.',
  'A world': 'Eine Welt',
  'Start from a world': 'Von einer Welt ausgehen',
  '{0} has more than 1 MB, the most of a world file.':
    '{0} hat mehr als 1 MB, das Höchste für eine Weltdatei.',
  'Saved as {0}. Serve it with: terrane serve --worlds {1}':
    'Gespeichert als {0}. So wird sie gezeigt: terrane serve --worlds {1}',
  Open: 'Öffnen',
  Share: 'Teilen',
  'Kept in this browser': 'In diesem Browser behalten',
  'Fork a world …': 'Von einer Welt abzweigen …',
  'metres to the east': 'Meter nach Osten',
  'metres to the south': 'Meter nach Süden',
  'metres upwards; 0 on maps': 'Meter nach oben; 0 auf Karten',
  'scatter(): metres from the point to the sample, eastwards':
    'scatter(): Meter vom Punkt zur Probe, nach Osten',
  'scatter(): metres from the point to the sample, southwards':
    'scatter(): Meter vom Punkt zur Probe, nach Süden',
  'scatter(): metres from the point to the sample': 'scatter(): Meter vom Punkt zur Probe',
  'scatter(): of the way from the point to the sample, radians':
    'scatter(): Richtung des Wegs vom Punkt zur Probe, Radiant',
  'scatter(): a whole number for each point, for random()':
    'scatter(): eine ganze Zahl für jeden Punkt, für random()',
  'a text': 'ein Text',
  'a formula': 'eine Formel',
  'a whole number': 'eine ganze Zahl',
  'a number': 'eine Zahl',
  '; as {0}': '; wie {0}',
  '; {0} if left out': '; {0}, wenn es fehlt',
  'The last one may be repeated.': 'Das letzte darf wiederholt werden.',
  'a colour, "#rrggbb"': 'eine Farbe, "#rrggbb"',
  'the layer that is painted': 'die Ebene, die gemalt wird',
  'true: left out in worlds without the layer': 'true: fehlt in Welten ohne die Ebene',
  'metres a pixel where it is gone': 'Meter je Pixel, ab denen es verschwindet',
  'the layer of the water’s level': 'die Ebene des Wasserspiegels',
  'a colour by the value of a layer': 'eine Farbe nach dem Wert einer Ebene',
  'the colours of the biomes': 'die Farben der Biome',
  'the colours of the materials by weight': 'die Farben der Materialien nach Gewicht',
  'a colour by depth': 'eine Farbe nach der Tiefe',
  'a colour by the slope, 0 to 90 degrees': 'eine Farbe nach der Neigung, 0 bis 90 Grad',
  'light on the ground': 'Licht auf dem Boden',
  'lines at multiples of an interval': 'Linien bei Vielfachen eines Abstands',
  'trees, shrubs and rocks from above': 'Bäume, Sträucher und Felsen von oben',
  'alone: a layer by its range': 'allein: eine Ebene nach ihrem Bereich',
  'alone: the same in 16 bits': 'allein: dasselbe in 16 Bit',
  'alone: heights encoded in colours': 'allein: Höhen als Farben kodiert',
  'alone: the direction that the ground faces': 'allein: die Richtung, in die der Boden zeigt',
  'the JSON Schema of world files, for editors': 'das JSON-Schema von Weltdateien, für Editoren',
  'whose work it is': 'wessen Werk es ist',
  '1, the only one': '1, der einzige',
  'a text, or a whole number 0 … 2⁶⁴−1': 'ein Text oder eine ganze Zahl 0 … 2⁶⁴−1',
  'named fields; height is required': 'benannte Felder; height ist nötig',
  'a list: the first whose "when" is true applies':
    'eine Liste: das erste, dessen "when" wahr ist, gilt',
  'a list of what the ground is made of, with weights':
    'eine Liste dessen, woraus der Boden besteht, mit Gewichten',
  'kinds of trees, shrubs and rocks': 'Arten von Bäumen, Sträuchern und Felsen',
  'a network of rivers': 'ein Flussnetz',
  'lines for path(), by name: [[x, y], …] in metres':
    'Linien für path(), nach Namen: [[x, y], …] in Metern',
  'borders for area(), by name: [[x, y], …] in metres':
    'Ränder für area(), nach Namen: [[x, y], …] in Metern',
  'styles of this world alone': 'Stile nur dieser Welt',
  'where maps begin': 'wo Karten beginnen',
  'what seas, ranges and rivers are named with, or false':
    'womit Meere, Gebirge und Flüsse benannt werden, oder false',
  'metres east': 'Meter nach Osten',
  'metres south': 'Meter nach Süden',
  '[x, y] that a search begins at': '[x, y], wo eine Suche beginnt',
  'a condition of the place': 'eine Bedingung des Ortes',
  'a style': 'ein Stil',
  seconds: 'Sekunden',
  'a list of those whose names there are': 'eine Liste derer, deren Namen es gibt',
  'tongues of this world alone': 'Sprachen nur dieser Welt',
  'fixed names': 'feste Namen',
  'words that begin a name': 'Wörter, die einen Namen beginnen',
  'words between': 'Wörter dazwischen',
  'words that end a name': 'Wörter, die einen Namen enden',
  'texts with % for the name, by kind of feature':
    'Texte mit % für den Namen, nach Art des Objekts',
  'such as "river"': 'etwa "river"',
  'what the layer is': 'was die Ebene ist',
  'such as "m"': 'etwa "m"',
  'letters, digits and _': 'Buchstaben, Ziffern und _',
  'a formula; the last biome needs none': 'eine Formel; das letzte Biom braucht keine',
  'side of a grid cell, 0.5 … 65536 m': 'Seite einer Gitterzelle, 0.5 … 65536 m',
  'a formula, 0 … 1': 'eine Formel, 0 … 1',
  'metres, at most 4 × spacing': 'Meter, höchstens 4 × spacing',
  'degrees, 1 … 90': 'Grad, 1 … 90',
  'metres, in pictures': 'Meter, in Bildern',
  'a formula: the beds of the largest streams, metres':
    'eine Formel: die Betten der größten Wasserläufe, Meter',
  'a formula: the height that valleys and ridges aim at, metres':
    'eine Formel: die Höhe, nach der Täler und Grate streben, Meter',
  'a formula: metres from valleys to ridges': 'eine Formel: Meter von den Tälern zu den Graten',
  'a formula, 0 … 1: the share of streams with a lake':
    'eine Formel, 0 … 1: der Anteil der Wasserläufe mit einem See',
  '0 … 1: the share of rivers with a delta': '0 … 1: der Anteil der Flüsse mit einem Delta',
  'metres between sources, a power of two, 16384 … 1048576':
    'Meter zwischen Quellen, eine Zweierpotenz, 16384 … 1048576',
  'a list of steps, painted over each other': 'eine Liste von Schritten, übereinander gemalt',
  'factor below 0 m': 'Faktor unter 0 m',
  '[[metres a pixel, factor], …]': '[[Meter je Pixel, Faktor], …]',
  '[[metres a pixel, metres], …]': '[[Meter je Pixel, Meter], …]',
  'every so many lines': 'alle so viele Linien',
  'pixels: smaller ones are left out': 'Pixel: kleinere fehlen',
  'a layer': 'eine Ebene',
  'nothing up to here': 'nichts bis hier',
  'all from here on': 'alles ab hier',
  '1 error': '1 Fehler',
  '1 warning': '1 Warnung',
  '{0} warnings': '{0} Warnungen',
  '1 layer': '1 Ebene',
  '{0} layers': '{0} Ebenen',
  '{0}. The map stays as it was.': '{0}. Die Karte ist, wie sie war.',
  '{0} The text can be written and saved; the page checks what it can.':
    '{0} Der Text kann geschrieben und gespeichert werden; die Seite prüft, was sie kann.',
  '{0} The map stays as it was.': '{0} Die Karte ist, wie sie war.',
  'This browser keeps nothing: save the world as a file.':
    'Dieser Browser behält nichts: die Welt als Datei speichern.',
  'Lab: {0}': 'Labor: {0}',
  'a world without a title': 'eine Welt ohne Titel',
  'On the map after {0}\u202fms.': 'Auf der Karte nach {0} ms.',
  'The world in the editor': 'Die Welt im Editor',
  '“{0}” has changes that are in no file.': '„{0}“ hat Änderungen, die in keiner Datei stehen.',
  'The version before cannot be shown: the server takes no preview of it.':
    'Die Fassung davor kann nicht gezeigt werden: der Server nimmt keine Vorschau davon an.',
  'a link': 'ein Link',
  '“{0}” is as you left it in this browser.':
    '„{0}“ ist, wie es in diesem Browser zurückgeblieben ist.',
  'Your world': 'Die eigene Welt',
  'This is the file of {0}. Change a number, and the map follows.':
    'Das ist die Datei von {0}. Wird eine Zahl geändert, folgt die Karte.',
  'Sea level': 'Meeresspiegel',
  'Raise or lower the sea, beside the map before':
    'Das Meer heben oder senken, neben der Karte davor',
  'The world in the editor has no layer “height”.':
    'Die Welt im Editor hat keine Ebene „height“.',
  'Compare with the version that was forked, opened or saved':
    'Mit der Fassung vergleichen, die abgezweigt, geöffnet oder gespeichert wurde',
  Redo: 'Wiederholen',
  'Parts of the lab': 'Teile des Labors',
  Noise: 'Rauschen',
  '{0}: values in the view': '{0}: Werte in der Ansicht',
  'How the values of {0} are spread': 'Wie die Werte von {0} verteilt sind',
  'mean {0}': 'Mittel {0}',
  'From west to east': 'Von Westen nach Osten',
  '{0} along the line on the map': '{0} entlang der Linie auf der Karte',
  'The whole map': 'Die ganze Karte',
  'The style that was shown before': 'Der Stil, der vorher zu sehen war',
  ['Single is one octave of the basis. fbm adds octaves; billow and turbulence add their '
  + 'absolute values, round with creases; ridged turns these over, so that creases are crests.']:
    'Single ist eine Oktave der Basis. fbm addiert Oktaven; billow und turbulence addieren '
    + 'ihre Beträge, rund mit Furchen; ridged kehrt diese um, so dass aus Furchen Grate werden.',
  Basis: 'Basis',
  ['Where an octave comes from: perlin and simplex from slopes on a lattice, value from '
  + 'heights there, worley from distances to scattered points, white from one value a cell.']:
    'Woher eine Oktave kommt: perlin und simplex aus Steigungen auf einem Gitter, value aus '
    + 'Höhen darauf, worley aus Abständen zu verstreuten Punkten, white aus einem Wert je '
    + 'Zelle.',
  Interpolation: 'Interpolation',
  'How values between lattice points are found. Linear shows the lattice as creases.':
    'Wie Werte zwischen Gitterpunkten gefunden werden. Linear zeigt das Gitter als Falten.',
  Feature: 'Merkmal',
  'f1: the distance to the nearest point. edge: the distance to the border between cells.':
    'f1: der Abstand zum nächsten Punkt. edge: der Abstand zur Grenze zwischen Zellen.',
  Wavelength: 'Wellenlänge',
  'The size of the largest shapes.': 'Die Größe der größten Formen.',
  Octaves: 'Oktaven',
  'How many noises are added. Each costs as much as the first.':
    'Wie viele Rauschen addiert werden. Jedes kostet so viel wie das erste.',
  Persistence: 'Persistenz',
  'How strong each octave is against the one before. More is rougher.':
    'Wie stark jede Oktave gegen die vorige ist. Mehr ist rauer.',
  Lacunarity: 'Lakunarität',
  'How many times finer each octave is than the one before.':
    'Wie viel feiner jede Oktave ist als die vorige.',
  Damping: 'Dämpfung',
  'Takes fine octaves away where the ground is steep already: smooth slopes.':
    'Nimmt feine Oktaven weg, wo der Boden schon steil ist: glatte Hänge.',
  Feedback: 'Rückkopplung',
  'How much an octave shows only where the one before is high: rough crests, calm valleys.':
    'Wie sehr eine Oktave nur dort zu sehen ist, wo die vorige hoch ist: raue Grate, ruhige Täler.',
  'Turn octaves': 'Oktaven drehen',
  '1 turns each octave against the one before, which hides the lattice.':
    '1 dreht jede Oktave gegen die vorige, was das Gitter verbirgt.',
  'Picture: {0}': 'Bild: {0}',
  'Line: {0}': 'Linie: {0}',
  'The sum': 'Die Summe',
  'of {0} octaves': 'aus {0} Oktaven',
  'Octave {0}': 'Oktave {0}',
  Formula: 'Formel',
  'Copied, with the quotes that a world file needs.':
    'Kopiert, mit den Anführungszeichen, die eine Weltdatei braucht.',
  'Copy the selected formula.': 'Die markierte Formel kopieren.',
  'The world in the editor has no layers to add it to.':
    'Die Welt im Editor hat keine Ebenen, zu denen sie käme.',
  'Copy the formula': 'Die Formel kopieren',
  'Put into the world': 'In die Welt setzen',
  'As a new layer of the world in the editor': 'Als neue Ebene der Welt im Editor',
  'Show on the map': 'Auf der Karte zeigen',
  'The sum, as a map': 'Die Summe, als Karte',
  'The server answered {0}.': 'Der Server hat mit {0} geantwortet.',
  Problems: 'Probleme',
  'Line {0}{1}: ': 'Zeile {0}{1}: ',
  'This link holds more than a world file may have: 1 MB.':
    'Dieser Link enthält mehr, als eine Weltdatei haben darf: 1 MB.',
  'This link is broken: a part of it is missing or was changed. Ask for it again.':
    'Dieser Link ist beschädigt: ein Teil fehlt oder wurde geändert. Neu danach fragen.',
  'Put the cursor into a formula, or choose a layer below.':
    'Den Cursor in eine Formel setzen oder unten eine Ebene wählen.',
  '{0} of {1}': '{0} von {1}',
  'number {0}': 'Zahl {0}',
  Sliders: 'Regler',
  'Reset {0} to {1}': '{0} auf {1} zurücksetzen',
  'Sliders of {0} ({1})': 'Regler von {0} ({1})',
  'This formula has no numbers.': 'Diese Formel hat keine Zahlen.',
  'Charts of so wide a view are not made: zoom in.':
    'Von einer so weiten Ansicht gibt es keine Diagramme: hineinzoomen.',
  pixels: 'Pixel',
};
