# Walks over a world and prints the heights: WALK="URL METRES RINGS SIZE CAPACITY PATIENCE REFRESHES" godot3-server -s walk.gd
# The last is how often chunk 3 -2 is refreshed at the end; then its digest is printed, and whether terra~2 changes it.
extends SceneTree

const Terrane = preload("terrane.gd")


func _init():
	var words = OS.get_environment("WALK").split(" ")
	var terrane = Terrane.new(words[0], {"size": int(words[3]), "capacity": int(words[4]), "patience": float(words[5])})
	print("counts: ", JSON.print(terrane.counts) if walk(terrane, float(words[1]), int(words[2]), int(words[6])) else "failed: " + terrane.problem)
	quit()


func walk(terrane, metres, rings, refreshes):
	for i in range(metres / 4):
		var x = -100 + 3.25 * i
		var y = 50 + 2.5 * i
		if not terrane.prefetch(x, y, rings):
			return false
		print("at %s %s: %.6f" % [x, y, terrane.height(x, y)])
	for _i in range(refreshes):
		var changed = terrane.refresh(3, -2)
		if changed == null:
			return false
		print("refresh: ", changed)
	if refreshes > 0:
		var other = terrane.digests([[3, -2]], "terra~2")
		print("digest: ", terrane.digests([[3, -2]])[0], " ", other.changed[0])
	return true
