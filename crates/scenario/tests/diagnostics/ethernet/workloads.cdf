# bytes percent
1000 50
2000 ninety
